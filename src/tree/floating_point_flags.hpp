// The processor's own record of numbers that left the range of doubles.
#pragma once

#include <cfenv>

namespace kirchhoff::tree {

/// Clears the processor's underflow and overflow flags, and gives the caller's back at the end.
///
/// On x86-64 this reads and writes the one register that vector instructions set. The standard's functions treat the
/// old floating-point unit as well, which takes as long as the marginals of a small graph.
class FloatingPointFlags {
 public:
  FloatingPointFlags() : before_(get()) { set(0); }
  ~FloatingPointFlags() { set(before_); }
  /// Whether a number was lost since: a sum, product or quotient that is 0 without that is exactly 0.
  static bool underflowed() { return (get() & kUnderflow) != 0; }
  static bool overflowed() { return (get() & kOverflow) != 0; }
  FloatingPointFlags(const FloatingPointFlags&) = delete;
  FloatingPointFlags& operator=(const FloatingPointFlags&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned kUnderflow = 0x10, kOverflow = 0x08;     // bits of MXCSR
  static void wait_for_results() { asm volatile("" ::: "memory"); }  // The compiler may not compute them later.
  static unsigned get() {
    wait_for_results();
    return __builtin_ia32_stmxcsr() & (kUnderflow | kOverflow);
  }
  static void set(unsigned flags) {
    wait_for_results();
    __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~(kUnderflow | kOverflow)) | flags);
    wait_for_results();
  }
#else
  static constexpr int kUnderflow = FE_UNDERFLOW, kOverflow = FE_OVERFLOW;
  static int get() { return std::fetestexcept(kUnderflow | kOverflow); }
  static void set(int flags) {
    std::feclearexcept(kUnderflow | kOverflow);
    std::feraiseexcept(flags);
  }
#endif
  decltype(get()) before_;
};

}  // namespace kirchhoff::tree
