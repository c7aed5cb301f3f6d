// One pass that finds every column's maximum, but not where it is: what any decoder must at least do.
#include "baselines/column_maxima.hpp"

#include <algorithm>

namespace kirchhoff::bench {

void column_maxima(const double* scores, int words, double* best) {
  const int size = words + 1;
  std::copy_n(scores, size, best);
  for (int head = 1; head < size; ++head) {
    const double* row = scores + static_cast<long>(head) * size;
    for (int d = 0; d < size; ++d) best[d] = best[d] < row[d] ? row[d] : best[d];
  }
}

}  // namespace kirchhoff::bench
