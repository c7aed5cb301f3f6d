// The hint to the system, on Linux; elsewhere nothing.
#include "base/large_pages.hpp"

#include <memory>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace kirchhoff::base {

void ask_for_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t kPage = std::size_t{2} << 20;
  if (std::align(kPage, kPage, data, bytes) == nullptr) return;
  madvise(data, bytes / kPage * kPage, MADV_HUGEPAGE);  // a hint, which may be ignored
#endif
}

}  // namespace kirchhoff::base
