// The models that a server has open, and how they are exchanged while it runs.
#pragma once

#include <kirchhoff/pipeline.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// A name for a model, and the file it is in.
struct ModelSource {
  std::string name;
  std::string file;
};

/// Reads "name=file", or "file", whose name is then the file's without folders and ending. Throws UsageError.
ModelSource model_source(std::string_view text);

/// An open model with parsers for the threads that use it. All requests share it.
class ServedModel {
 public:
  /// Throws ModelError.
  ServedModel(std::string name, const std::string& file, ModelMemory memory);

  const std::string& name() const { return name_; }
  const Pipeline& pipeline() const { return pipeline_; }
  Parsed parse(const Sentence& sentence, const ParseOptions& options) const;

 private:
  std::string name_;
  Pipeline pipeline_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Parser>> idle_;  ///< There are never more of them than threads.
};

/// Models of different names; the first one is the default.
using ModelSet = std::vector<std::shared_ptr<const ServedModel>>;

class ModelStore {
 public:
  /// Opens all. Throws ModelError, and UsageError when two have the same name.
  ModelStore(std::vector<ModelSource> sources, ModelMemory memory);

  /// The models as they are now; requests that have begun keep theirs when others come.
  std::shared_ptr<const ModelSet> current() const;
  /// Opens all files again. When one cannot be opened, the models stay as they are and ModelError is thrown.
  void reload();

 private:
  std::shared_ptr<const ModelSet> open() const;

  std::vector<ModelSource> sources_;
  ModelMemory memory_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ModelSet> current_;
};

}  // namespace kirchhoff::cli
