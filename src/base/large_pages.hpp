// Memory in large pages, where the system has any.
#pragma once

#include <cstddef>

namespace kirchhoff::base {

/// What is too large for the C library to keep comes fresh from the system each time. This asks for pages of 2 MB
/// instead of 4 kB for what lies within `bytes` from `data`, since touching a page for the first time takes longer than
/// writing numbers into it.
void ask_for_large_pages(void* data, std::size_t bytes);

}  // namespace kirchhoff::base
