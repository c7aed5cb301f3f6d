// Containers in a container.
#include "text/parts_checkpoint.hpp"

#include "parser/file/model.hpp"

#include <algorithm>
#include <filesystem>

namespace kirchhoff::text {
namespace {

constexpr std::uint32_t kPartsVersion = 0x44000001;  // No model and no checkpoint of a parser has this version.
constexpr const char* kFingerprint = "fingerprint";

}  // namespace

PartsCheckpoint::PartsCheckpoint(std::string path, std::uint64_t fingerprint, bool resume, base::Crew& crew)
    : path_(std::move(path)), fingerprint_(fingerprint) {
  if (path_.empty()) return;
  if (!resume) {
    write(crew);
    return;
  }
  const auto file = parser::Container::open(path_, kPartsVersion);
  const auto stored = file.array<std::uint64_t>(kFingerprint);
  if (stored.size() != 1 || stored[0] != fingerprint) {
    file.fail("belongs to a training with other data or options, so this one cannot go on from it");
  }
  for (const std::string& name : file.names()) {
    if (name == kFingerprint) continue;
    const auto bytes = file.section(name);
    parts_.emplace_back(name, parser::Container(parser::FileBytes(bytes.begin(), bytes.end()), path_ + ": " + name,
                                                parser::kModelVersion));
  }
}

std::optional<parser::Container> PartsCheckpoint::find(const std::string& part) const {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const auto& p) { return p.first == part; });
  if (found == parts_.end()) return std::nullopt;
  return found->second;
}

parser::Container PartsCheckpoint::keep(const std::string& part, parser::ContainerWriter writer, base::Crew& crew) {
  parts_.emplace_back(part, parser::Container(std::move(writer).finish(crew), "new model", parser::kModelVersion));
  write(crew);
  return parts_.back().second;
}

void PartsCheckpoint::write(base::Crew& crew) const {
  if (path_.empty()) return;
  parser::ContainerWriter file(kPartsVersion);
  file.add_array(kFingerprint, std::span<const std::uint64_t>(&fingerprint_, 1));
  for (const auto& [name, container] : parts_) file.add_borrowed(name, container.bytes());
  parser::write_atomically(path_, std::move(file).finish(crew));
}

void PartsCheckpoint::remove() const {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace kirchhoff::text
