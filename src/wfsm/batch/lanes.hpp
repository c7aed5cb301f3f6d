// Eight numbers at once, of eight machines. The compiler makes vector instructions of the loops.
#pragma once

#include "wfsm/kernels/lane_solve.hpp"

#include <array>

namespace kirchhoff::wfsm {

struct alignas(64) Lanes {
  std::array<double, kLanes> lane{};

  double& operator[](int i) { return lane[i]; }
  double operator[](int i) const { return lane[i]; }
  Lanes& operator+=(const Lanes& other) {
    for (int i = 0; i < kLanes; ++i) lane[i] += other.lane[i];
    return *this;
  }
};
inline Lanes operator+(const Lanes& a, const Lanes& b) {
  Lanes result = a;
  return result += b;
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
  Lanes result = a;
  for (int i = 0; i < kLanes; ++i) result.lane[i] -= b.lane[i];
  return result;
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
  Lanes result = a;
  for (int i = 0; i < kLanes; ++i) result.lane[i] *= b.lane[i];
  return result;
}

}  // namespace kirchhoff::wfsm
