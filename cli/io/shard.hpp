// A part of a file that is read by one of several processes: so many bytes, from where a sentence begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kirchhoff::cli {

/// Bytes of a file, from `begin` up to `end`.
struct ByteRange {
  std::uint64_t begin = 0, end = UINT64_MAX;
};

/// The part of a file that --shard I/N asks for: I of N, counted from 1.
struct Shard {
  int number = 1, count = 1;
};
/// Reads "I/N"; nothing when it is not that, or I is not 1 to N.
std::optional<Shard> parse_shard(const std::string& text);

/// The bytes of a shard. The file is cut into pieces of the same size, and each cut moved on to the next line after a
/// blank one that does not begin with white space: every sentence is in one shard, as a whole, and the shards one after
/// the other are the file. Reads little more than the lines at the cuts. Throws FileError, also for what is no regular
/// file.
ByteRange shard_bytes(const std::string& path, const Shard& shard);

}  // namespace kirchhoff::cli
