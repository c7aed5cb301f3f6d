// The processor's own record of numbers that left the range of doubles.
#pragma once

#include <cfenv>

namespace kirchhoff::tree {

/// Clears the processor's underflow and overflow flags, and gives the caller's back at the end.
class FloatingPointFlags {
 public:
  FloatingPointFlags() {
    std::fegetexceptflag(&before_, FE_UNDERFLOW | FE_OVERFLOW);
    std::feclearexcept(FE_UNDERFLOW | FE_OVERFLOW);
  }
  ~FloatingPointFlags() { std::fesetexceptflag(&before_, FE_UNDERFLOW | FE_OVERFLOW); }
  /// Whether a number was lost since: a sum, product or quotient that is 0 without that is exactly 0.
  static bool underflowed() { return std::fetestexcept(FE_UNDERFLOW) != 0; }
  FloatingPointFlags(const FloatingPointFlags&) = delete;
  FloatingPointFlags& operator=(const FloatingPointFlags&) = delete;

 private:
  std::fexcept_t before_{};
};

}  // namespace kirchhoff::tree
