// How each scalar lies in a row: planes of `ld` doubles one after the other, so that kernels see plain arrays.
#pragma once

#include "tree/robust/numbers.hpp"

namespace kirchhoff::tree {

template <class T, bool kTangent>
struct Planes;

template <>
struct Planes<double, false> {
  static constexpr std::size_t count = 1;
  static double read(const double* row, std::size_t) { return row[0]; }
  static void write(double* row, std::size_t, double x) { row[0] = x; }
  static double one() { return 1.0; }
};

template <>
struct Planes<Dual, true> {
  static constexpr std::size_t count = 2;
  static Dual read(const double* row, std::size_t ld) { return {row[0], row[ld]}; }
  static void write(double* row, std::size_t ld, const Dual& x) {
    row[0] = x.v;
    row[ld] = x.t;
  }
  static Dual one() { return {1.0, 0.0}; }
};

template <bool kTangent>
struct Planes<ExtendedDual, kTangent> {
  static constexpr std::size_t count = kTangent ? 3 : 2;
  static ExtendedDual read(const double* row, std::size_t ld) {
    return {row[0], row[ld], kTangent ? row[2 * ld] : 0.0};
  }
  static void write(double* row, std::size_t ld, const ExtendedDual& x) {
    row[0] = x.m;
    row[ld] = x.e;
    if (kTangent) row[2 * ld] = x.t;
  }
  static ExtendedDual one() { return {1.0, 0.0, 0.0}; }
};

template <>
struct Planes<ExtendedJet, true> {
  static constexpr std::size_t count = 5;
  static ExtendedJet read(const double* row, std::size_t ld) {
    return {row[0], row[ld], row[2 * ld], row[3 * ld], row[4 * ld]};
  }
  static void write(double* row, std::size_t ld, const ExtendedJet& x) {
    row[0] = x.m;
    row[ld] = x.e;
    row[2 * ld] = x.r;
    row[3 * ld] = x.s;
    row[4 * ld] = x.rs;
  }
  static ExtendedJet one() { return {1.0, 0.0, 0.0, 0.0, 0.0}; }
};

}  // namespace kirchhoff::tree
