// Checks and writes the files that options name.
#include "io/output.hpp"

#include "io/files.hpp"
#include "usage_error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kirchhoff::cli {
namespace {

constexpr const char* kStandardOutput = "-";

void write_to(const std::string& path, std::string_view content) {
  if (path == kStandardOutput) return write_stdout(content);
  OutputFile(path).write(content);
}

}  // namespace

OutputFile checked_output(std::string_view option, const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) throw UsageError(fmt::format("{}: {}", option, kNoName));
  OutputFile output(path);
  for (const std::string& input : inputs) {
    const bool standard = input == "-";
    if (!output.is_same_as(standard ? "/dev/stdin" : input)) continue;
    throw UsageError(fmt::format("{}: {} is the file that is read as {}; write to another one", option, path,
                                 standard ? "standard input" : input));
  }
  return output;
}

PictureOutput::PictureOutput(const PictureOptions& options, const std::string& input) : options_(options) {
  const auto check = [&](std::string_view option, const std::optional<std::string>& path) {
    if (!path || path == kStandardOutput) return;
    if (!checked_output(option, *path, {input}).is_same_as("/dev/stdout")) return;
    throw UsageError(fmt::format("{}: {} is standard output, which has other content", option, *path));
  };
  check("--html", options.html);
  check("--svg", options.svg);
  if (!options.html || !options.svg) return;
  const bool both_standard = options.html == kStandardOutput && options.svg == kStandardOutput;
  const bool one_standard = options.html == kStandardOutput || options.svg == kStandardOutput;
  if (both_standard || (!one_standard && OutputFile(*options.html).is_same_as(*options.svg))) {
    throw UsageError("--html and --svg: name one and the same file");
  }
}

bool PictureOutput::takes_standard_output() const {
  return options_.html == kStandardOutput || options_.svg == kStandardOutput;
}

void PictureOutput::write(const std::vector<Drawing>& drawings, const DrawnPage& page) const {
  if (options_.html) write_to(*options_.html, to_html(drawings, page));
  if (options_.svg) write_to(*options_.svg, to_svg(drawings));
}

}  // namespace kirchhoff::cli
