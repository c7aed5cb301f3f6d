// Files made to do harm: sections are changed, and the checksum is made right again.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kirchhoff {

inline constexpr std::size_t kHeaderSize = 32;

/// Where a section lies in a container.
struct SectionPlace {
  std::uint64_t begin = 0, size = 0;
};

inline SectionPlace section_of(const std::string& bytes, std::string_view name) {
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data() + kHeaderSize, sizeof count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* entry = bytes.data() + kHeaderSize + sizeof count + i * 32;
    if (std::string_view(entry, strnlen(entry, 16)) != name) continue;
    SectionPlace place;
    std::memcpy(&place, entry + 16, sizeof place);
    return place;
  }
  throw std::runtime_error("no section " + std::string(name));
}

/// Gives a container the size and the checksum that its bytes have.
inline void repair(std::string& bytes) {
  if (bytes.size() < kHeaderSize) return;
  const std::uint64_t size = bytes.size();
  const std::uint64_t sum = XXH3_64bits(bytes.data() + kHeaderSize, bytes.size() - kHeaderSize);
  std::memcpy(bytes.data() + 16, &size, sizeof size);
  std::memcpy(bytes.data() + 24, &sum, sizeof sum);
}

/// The container with a value written at a place of a section.
template <class T>
std::string with_value(std::string bytes, std::string_view section, std::size_t offset, T value) {
  const SectionPlace place = section_of(bytes, section);
  if (offset + sizeof value > place.size) throw std::runtime_error("outside the section");
  std::memcpy(bytes.data() + place.begin + offset, &value, sizeof value);
  repair(bytes);
  return bytes;
}

template <class T>
T value_of(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
T value_at(const std::string& bytes, std::string_view section, std::size_t offset) {
  return value_of<T>(bytes, section_of(bytes, section).begin + offset);
}

}  // namespace kirchhoff
