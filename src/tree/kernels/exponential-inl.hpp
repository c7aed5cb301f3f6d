// Gives the kernels of trees the exponential function of numeric/simd, once per instruction set.
#if defined(KIRCHHOFF_TREE_EXPONENTIAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_TREE_EXPONENTIAL_INL
#undef KIRCHHOFF_TREE_EXPONENTIAL_INL
#else
#define KIRCHHOFF_TREE_EXPONENTIAL_INL
#endif

#include "numeric/simd/exponential-inl.hpp"
#include "numeric/simd/exponential_below-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using numeric::HWY_NAMESPACE::D;
using numeric::HWY_NAMESPACE::exp_below;
using numeric::HWY_NAMESPACE::exp_of;
using numeric::HWY_NAMESPACE::kExactLimit;
using numeric::HWY_NAMESPACE::Power;
using numeric::HWY_NAMESPACE::power_of_two;
using numeric::HWY_NAMESPACE::shifted_exp;
using numeric::HWY_NAMESPACE::U;
using numeric::HWY_NAMESPACE::V;
}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_TREE_EXPONENTIAL_INL
