// Writes containers, reads them, and checks every byte of them before anybody uses one.
#include "parser/file/container.hpp"

#include "base/descriptor.hpp"
#include "kirchhoff/output_file.hpp"
#include "kirchhoff/parser.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

namespace kirchhoff::parser {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

constexpr std::array<char, 8> kMagic = {'K', 'I', 'R', 'C', 'H', 'H', 'O', 'F'};
constexpr std::uint32_t kOrderMark = 0x01020304;
constexpr std::size_t kAlign = 64;
constexpr std::size_t kNameSize = 16;
constexpr std::size_t kMaxSections = 1000;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t order;
  std::uint64_t size;
  std::uint64_t checksum;
};
struct Entry {
  std::array<char, kNameSize> name;
  std::uint64_t offset;
  std::uint64_t size;
};

std::size_t aligned(std::size_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

template <class T>
T read(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

template <class T>
void write_at(FileBytes& bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

std::string_view name_of(const Entry& entry) { return {entry.name.data(), strnlen(entry.name.data(), kNameSize)}; }

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data() + sizeof(Header), bytes.size() - sizeof(Header));
}

/// Copies by all threads. What is left of `to` becomes 0.
void copy(std::span<const std::byte> from, std::span<std::byte> to, base::Crew& crew) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const auto piece = [&](std::size_t first, std::size_t last) {
    std::copy(from.begin() + static_cast<std::ptrdiff_t>(first), from.begin() + static_cast<std::ptrdiff_t>(last),
              to.begin() + static_cast<std::ptrdiff_t>(first));
  };
  crew.chunks(from.size(), piece, kPiece);
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(from.size()), to.end(), std::byte{0});
}

[[noreturn]] void file_error(const std::string& path, const char* what) {
  throw ModelError(path + ": " + what + ": " + std::strerror(errno));
}

/// Returns how many bytes there were, which are fewer than asked for at the end of the file only.
std::size_t read_all(int file, std::span<std::byte> bytes, const std::string& path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file, bytes.data() + done, std::min<std::size_t>(bytes.size() - done, 1U << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) file_error(path, "cannot be read");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

/// Fresh memory, which is given back with the last copy of the pointer. No zeros are written that a file would replace.
std::shared_ptr<void> pages(std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::madvise(memory, size, MADV_HUGEPAGE);  // Best effort: it saves most of the page faults.
  return {memory, [size](void* p) { ::munmap(p, size); }};
}

/// The pages of a file, which all processes that map it share.
std::shared_ptr<const void> mapped_pages(int file, std::size_t size, const std::string& path) {
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) file_error(path, "cannot be mapped into memory");
  ::madvise(memory, size, MADV_WILLNEED);  // Best effort: all of it is read at once, for its checksum.
  return {memory, [size](const void* p) { ::munmap(const_cast<void*>(p), size); }};
}

}  // namespace

ContainerWriter::ContainerWriter(std::uint32_t version) : version_(version) {}

void ContainerWriter::add_borrowed(std::string_view name, std::span<const std::byte> bytes) {
  if (name.size() > kNameSize) throw std::logic_error("too long for the name of a section: " + std::string(name));
  sections_.push_back({std::string(name), bytes, {}});
}

FileBytes ContainerWriter::finish(base::Crew& crew) && {
  const std::size_t table = sizeof(Header) + sizeof(std::uint64_t);
  const std::size_t front = aligned(table + sections_.size() * sizeof(Entry));
  std::vector<std::size_t> begin = {front};
  for (const Section& s : sections_) begin.push_back(begin.back() + aligned(s.bytes.size()));
  FileBytes bytes(begin.back());
  std::fill_n(bytes.begin(), front, std::byte{0});
  write_at(bytes, sizeof(Header), static_cast<std::uint64_t>(sections_.size()));
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    Entry entry{{}, begin[i], sections_[i].bytes.size()};
    std::copy(sections_[i].name.begin(), sections_[i].name.end(), entry.name.begin());
    write_at(bytes, table + i * sizeof(Entry), entry);
    copy(sections_[i].bytes, std::span(bytes).subspan(begin[i], begin[i + 1] - begin[i]), crew);
    sections_[i].own.reset();  // A section should be in memory once only.
  }
  write_at(bytes, 0, Header{kMagic, version_, kOrderMark, bytes.size(), checksum(bytes)});
  return bytes;
}

Container::Container(FileBytes bytes, const std::string& name, std::uint32_t version) : name_(name) {
  auto owner = std::make_shared<const FileBytes>(std::move(bytes));
  bytes_ = *owner;
  owner_ = owner;
  verify(version);
}

Container Container::open(const std::string& path, std::uint32_t version, ModelMemory memory) {
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) file_error(path, "cannot be read");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) file_error(path, "cannot be read");
  Container container;
  container.name_ = path;
  if (!S_ISREG(status.st_mode)) container.fail("is not a regular file");
  // The front is looked at first, so that a large file of another kind is not read for nothing.
  std::array<std::byte, sizeof(Header)> front;
  container.bytes_ = std::span(front).first(read_all(file.get(), front, path));
  const auto size = static_cast<std::size_t>(status.st_size);
  container.verify_header(version, size);
  if (memory == ModelMemory::mapped) {
    const std::shared_ptr<const void> shared = mapped_pages(file.get(), size, path);
    container.owner_ = shared;
    container.bytes_ = {static_cast<const std::byte*>(shared.get()), size};
  } else {
    const std::shared_ptr<void> own = pages(size);
    const std::span bytes(static_cast<std::byte*>(own.get()), size);
    std::copy(front.begin(), front.end(), bytes.begin());
    const std::size_t rest = read_all(file.get(), bytes.subspan(front.size()), path);
    container.owner_ = own;
    container.bytes_ = bytes.first(front.size() + rest);
  }
  container.verify(version);
  return container;
}

void Container::fail(const std::string& problem) const { throw ModelError(name_ + ": " + problem); }

void Container::verify_header(std::uint32_t version, std::size_t size) const {
  if (bytes_.size() < sizeof(Header)) fail("is not a model file of this program, or was cut short");
  const auto header = read<Header>(bytes_, 0);
  if (header.magic != kMagic) fail("is not a model file of this program");
  if (header.order != kOrderMark) fail("has the byte order of another machine");
  if (header.version != version) {
    const auto number = [](std::uint32_t v) { return std::to_string(v & 0xffffffU); };
    if (header.version >> 24 != version >> 24) fail("is another kind of file: a model is no checkpoint");
    fail("is of version " + number(header.version) + ", this program reads version " + number(version));
  }
  if (header.size != size) {
    fail("has " + std::to_string(size) + " bytes, should have " + std::to_string(header.size));
  }
}

void Container::verify(std::uint32_t version) const {
  verify_header(version, bytes_.size());
  const auto header = read<Header>(bytes_, 0);
  if (header.checksum != parser::checksum(bytes_)) fail("is damaged: its checksum is wrong");
  const std::size_t table = sizeof(Header) + sizeof(std::uint64_t);
  const std::uint64_t count = bytes_.size() < table ? kMaxSections + 1 : read<std::uint64_t>(bytes_, sizeof(Header));
  if (count > kMaxSections || table + count * sizeof(Entry) > bytes_.size()) fail("has a bad table of contents");
  for (std::size_t i = 0; i < count; ++i) {
    const auto entry = read<Entry>(bytes_, table + i * sizeof(Entry));
    const bool inside = entry.offset <= bytes_.size() && entry.size <= bytes_.size() - entry.offset;
    if (!inside || entry.offset % kAlign != 0) fail("has a section outside the file");
  }
}

std::uint64_t Container::checksum() const { return read<Header>(bytes_, 0).checksum; }

std::vector<std::string> Container::names() const {
  std::vector<std::string> names(read<std::uint64_t>(bytes_, sizeof(Header)));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto entry = read<Entry>(bytes_, sizeof(Header) + sizeof(std::uint64_t) + i * sizeof(Entry));
    names[i] = name_of(entry);
  }
  return names;
}

bool Container::has(std::string_view name) const {
  const std::vector<std::string> all = names();
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::span<const std::byte> Container::section(std::string_view name) const {
  const std::size_t table = sizeof(Header) + sizeof(std::uint64_t);
  const auto count = read<std::uint64_t>(bytes_, sizeof(Header));
  for (std::size_t i = 0; i < count; ++i) {
    const auto entry = read<Entry>(bytes_, table + i * sizeof(Entry));
    if (name_of(entry) == name) return bytes_.subspan(entry.offset, entry.size);
  }
  fail("has no section '" + std::string(name) + "': another kind of file?");
}

std::string_view Container::text(std::string_view name) const {
  const auto bytes = section(name);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void Container::check_multiple(std::string_view name, std::size_t size, std::size_t unit) const {
  if (size % unit != 0) fail("section '" + std::string(name) + "' has a wrong size");
}

void write_atomically(const std::string& path, std::span<const std::byte> bytes) {
  try {
    OutputFile(path).write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const FileError& error) {
    throw ModelError(error.what());
  }
}

}  // namespace kirchhoff::parser
