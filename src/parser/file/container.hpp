// A file of named sections with a checksum: models and checkpoints.
//
//   bytes 0..7 "KIRCHHOF", 8..11 version, 12..15 byte-order mark, 16..23 size of the file, 24..31 XXH3 of what follows,
//   then the number of sections, 32 bytes for each (name, offset, size), and the sections, each at a multiple of 64.
#pragma once

#include "base/buffer.hpp"
#include "base/crew.hpp"
#include "kirchhoff/parser.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::parser {

using FileBytes = std::vector<std::byte, base::UnwrittenAllocator<std::byte>>;

/// Collects sections and makes a container of them.
class ContainerWriter {
 public:
  explicit ContainerWriter(std::uint32_t version);
  void add(std::string_view name, std::span<const std::byte> bytes) {
    add_vector(name, std::vector(bytes.begin(), bytes.end()));
  }
  void add(std::string_view name, std::string_view text) { add(name, std::as_bytes(std::span(text))); }
  template <class T>
  void add_array(std::string_view name, std::span<const T> items) {
    add(name, std::as_bytes(items));
  }
  /// Takes a vector, which goes as soon as finish() has copied it.
  template <class Vector>
  void add_vector(std::string_view name, Vector items) {
    const auto own = std::make_shared<const Vector>(std::move(items));
    add_borrowed(name, std::as_bytes(std::span(*own)));
    sections_.back().own = own;
  }
  /// Adds bytes without copying them; they must stay alive until finish().
  void add_borrowed(std::string_view name, std::span<const std::byte> bytes);
  /// The bytes of the whole file, copied by all threads.
  FileBytes finish(base::Crew& crew) &&;

 private:
  struct Section {
    std::string name;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> own;
  };
  std::uint32_t version_;
  std::vector<Section> sections_;
};

/// A container that was verified. Unless it was mapped, it is in memory of its own, and what others do to the file
/// cannot change it any more.
class Container {
 public:
  Container() = default;
  /// Throws a ModelError that says what is wrong; `name` is for messages.
  Container(FileBytes bytes, const std::string& name, std::uint32_t version);
  static Container open(const std::string& path, std::uint32_t version, ModelMemory memory = ModelMemory::own);

  const std::string& name() const { return name_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::uint64_t checksum() const;
  /// Throws the ModelError "name: problem".
  [[noreturn]] void fail(const std::string& problem) const;
  /// The names of the sections, in their order.
  std::vector<std::string> names() const;
  bool has(std::string_view name) const;
  /// Throws ModelError when there is no section of this name.
  std::span<const std::byte> section(std::string_view name) const;
  std::string_view text(std::string_view name) const;
  /// Throws ModelError when the size is no multiple of T's.
  template <class T>
  std::span<const T> array(std::string_view name) const {
    const auto bytes = section(name);
    check_multiple(name, bytes.size(), sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

 private:
  void verify_header(std::uint32_t version, std::size_t size) const;
  void verify(std::uint32_t version) const;
  void check_multiple(std::string_view name, std::size_t size, std::size_t unit) const;

  std::string name_;
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

/// Writes a file as OutputFile does. Throws ModelError.
void write_atomically(const std::string& path, std::span<const std::byte> bytes);

}  // namespace kirchhoff::parser
