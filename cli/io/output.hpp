// The files that a verb writes, all by one policy, which docs/reference/cli.md describes.
#pragma once

#include <kirchhoff/draw.hpp>
#include <kirchhoff/output_file.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// What messages say of an option that names a file and is given ''.
inline constexpr const char* kNoName = "'' is no name of a file";

/// Checks the file that an option names before the work begins. Throws FileError when it cannot be written, and
/// UsageError when its name is empty or it is one of the files that are read; "-" is standard input there.
OutputFile checked_output(std::string_view option, const std::string& path, const std::vector<std::string>& inputs);

/// The files that --html and --svg name; "-" is standard output.
struct PictureOptions {
  std::optional<std::string> html, svg;
};

/// Pages and pictures to be written. Like checked_output() it checks them at once.
class PictureOutput {
 public:
  PictureOutput(const PictureOptions& options, const std::string& input);

  bool empty() const { return !options_.html && !options_.svg; }
  /// True when standard output belongs to a picture, and nothing else may be printed there.
  bool takes_standard_output() const;
  void write(const std::vector<Drawing>& drawings, const DrawnPage& page) const;

 private:
  PictureOptions options_;
};

}  // namespace kirchhoff::cli
