// Random numbers for all but kernels, which compile them for themselves.
#include "base/random.hpp"
#include "base/random_refill.hpp"

namespace kirchhoff::base {

void Random::refill() { RandomAccess::refill(*this); }

}  // namespace kirchhoff::base
