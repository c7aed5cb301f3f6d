// The finished parts of a pipeline's training, kept in a file so that a training that was stopped need not learn them
// again. Each part is a container of its own, and the parser has its own checkpoint.
#pragma once

#include "base/crew.hpp"
#include "parser/file/container.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff::text {

class PartsCheckpoint {
 public:
  /// With an empty path nothing is kept. With `resume` the parts in the file are taken over, else the file is made
  /// anew. Throws ModelError when it is missing or damaged, or that of other data or options, which have another
  /// fingerprint.
  PartsCheckpoint(std::string path, std::uint64_t fingerprint, bool resume, base::Crew& crew);

  /// A part that is finished.
  std::optional<parser::Container> find(const std::string& part) const;
  /// Keeps a part, and writes the file anew. Throws ModelError.
  parser::Container keep(const std::string& part, parser::ContainerWriter writer, base::Crew& crew);
  /// Removes the file, which is of no use any more.
  void remove() const;

 private:
  void write(base::Crew& crew) const;

  std::string path_;
  std::uint64_t fingerprint_;
  std::vector<std::pair<std::string, parser::Container>> parts_;
};

}  // namespace kirchhoff::text
