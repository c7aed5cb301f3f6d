// The floor of decoding: reading every score once.
#pragma once

namespace kirchhoff::bench {

/// The highest score of each column of a (n+1) x (n+1) matrix into `best`, n + 1 numbers.
void column_maxima(const double* scores, int words, double* best);

}  // namespace kirchhoff::bench
