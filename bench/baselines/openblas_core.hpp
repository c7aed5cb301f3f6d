// Which kernels OpenBLAS uses, and a way out when it has chosen badly.
#pragma once

#include <string>

namespace kirchhoff::bench {

/// The processor whose kernels OpenBLAS uses, e.g. "SkylakeX".
std::string openblas_core();

/// OpenBLAS takes processors newer than itself for a Prescott of 2004 and is then four times slower than it could be.
/// It reads OPENBLAS_CORETYPE only when it is loaded: set that and start this program again. Call it first in main.
void restart_with_good_openblas_core(char** argv);

}  // namespace kirchhoff::bench
