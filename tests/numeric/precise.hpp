// Numbers of 100 digits and any exponent, in which the tests of numeric compute what the answers should be.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace kirchhoff::numeric {

using Precise = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
    100, boost::multiprecision::digit_base_10, void, std::int64_t, -(std::int64_t{1} << 40), std::int64_t{1} << 40>>;

/// |a - b| relative to b.
inline double relative_error(const Precise& a, const Precise& b) {
  return b == 0 ? (a == 0 ? 0.0 : 1.0) : static_cast<double>(Precise(abs((a - b) / b)));
}

}  // namespace kirchhoff::numeric
