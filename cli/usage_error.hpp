// The error of a command line that cannot be followed.
#pragma once

#include <stdexcept>

namespace kirchhoff::cli {

/// The command line is wrong. The program says why and ends with exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kirchhoff::cli
