// A stream of bytes from a file or from standard input, for readers that take an istream.
#pragma once

#include "io/input_file.hpp"

#include <istream>
#include <streambuf>
#include <string>
#include <vector>

namespace kirchhoff::cli {

/// Its buffer throws FileError when the system cannot read, where the streams of the standard library do not say why.
class InputStream : public std::istream {
 public:
  /// Opens a file; "-" is standard input. Throws FileError.
  explicit InputStream(const std::string& file, const ByteRange& range = {})
      : std::istream(nullptr), buffer_(file, range) {
    rdbuf(&buffer_);
  }

  /// What messages call the input: the file's name, or "standard input".
  const std::string& name() const { return buffer_.file.name(); }

 private:
  struct Buffer : std::streambuf {
    Buffer(const std::string& path, const ByteRange& range) : file(path, range), bytes(std::size_t{1} << 16) {}
    int_type underflow() override {
      const std::size_t got = file.read(bytes.data(), bytes.size());
      setg(bytes.data(), bytes.data(), bytes.data() + got);
      return got > 0 ? traits_type::to_int_type(bytes.front()) : traits_type::eof();
    }
    InputFile file;
    std::vector<char> bytes;
  };

  Buffer buffer_;
};

}  // namespace kirchhoff::cli
