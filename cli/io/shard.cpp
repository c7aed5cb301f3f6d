// Finds the places where a file of sentences or paragraphs can be cut.
#include "io/shard.hpp"

#include "io/input_file.hpp"
#include "number.hpp"

#include <kirchhoff/output_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace kirchhoff::cli {
namespace {

constexpr const char* kSpace = " \t\r\v\f";

/// True for the beginning of a line of which white space of Unicode would be left to the paragraph before.
bool begins_with_blank(std::string_view line) {
  constexpr std::array<std::string_view, 7> kBlanks = {"\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80",
                                                       "\xE2\x81\x9F", "\xE3\x80\x80", "\xEF\xBB\xBF"};
  return line.empty() || static_cast<unsigned char>(line.front()) <= ' ' ||
         std::any_of(kBlanks.begin(), kBlanks.end(), [&](std::string_view b) { return line.starts_with(b); });
}

/// The first place from `from` on where a line begins with text after a blank line, or the end of the file.
std::uint64_t cut_after(std::ifstream& file, std::uint64_t from, std::uint64_t size) {
  if (from == 0 || from >= size) return std::min(from, size);
  file.clear();
  file.seekg(static_cast<std::streamoff>(from));
  std::string line;
  std::uint64_t place = from;
  bool after_blank = false;
  for (bool whole = false; std::getline(file, line); whole = true) {  // the first line may be the end of one
    if (whole && after_blank && !begins_with_blank(line)) return place;
    after_blank = whole && (after_blank ? line.find_first_not_of(kSpace) == std::string::npos
                                        : line.find_first_not_of('\r') == std::string::npos);
    place += line.size() + 1;
  }
  return size;
}

}  // namespace

std::optional<Shard> parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto number = parse_number<int>(text.substr(0, slash));
  const auto count = parse_number<int>(text.substr(slash + 1));
  if (!number || !count || *number < 1 || *number > *count) return std::nullopt;
  return Shard{*number, *count};
}

ByteRange shard_bytes(const std::string& path, const Shard& shard) {
  if (shard.count == 1) return {};
  std::error_code problem;
  if (path == "-" || !std::filesystem::is_regular_file(path, problem)) {
    throw FileError(fmt::format("{}: only a regular file can be read in shards", input_name(path)));
  }
  const std::uint64_t size = std::filesystem::file_size(path, problem);
  std::ifstream file(path, std::ios::binary);
  if (problem || !file) throw FileError(fmt::format("{}: cannot open", path));
  const auto cut = [&](int k) {
    const auto count = static_cast<std::uint64_t>(shard.count), number = static_cast<std::uint64_t>(k);
    // Products of the size would overflow for large files and many shards.
    const std::uint64_t from = size / count * number + size % count * number / count;
    const std::uint64_t place = cut_after(file, from, size);
    if (file.bad()) throw FileError(fmt::format("{}: cannot read", path));
    return place;
  };
  return {cut(shard.number - 1), cut(shard.number)};
}

}  // namespace kirchhoff::cli
