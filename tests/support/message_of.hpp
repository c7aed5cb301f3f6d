// What an error says, so that tests can ask for more than its type.
#pragma once

#include <string>

namespace kirchhoff {

/// The message of the Error that the call throws; "no error" when it throws none.
template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace kirchhoff
