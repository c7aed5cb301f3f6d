// Reads nested lists of numbers: scores and features.
#include "json/graph_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kirchhoff::cli {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr int kUnknown = -1;
/// The size up to which the library takes scores. Beyond it the line is wrong, whatever it is asked.
constexpr double kLargestScore = 1e100;
constexpr int kMaxIndex = std::numeric_limits<int>::max();

enum class Nulls { impossible, only_where_ignored };

/// Collects rows of cells; each cell is a number, null, or a list of numbers (one per label).
class ArcArrayReader {
 public:
  explicit ArcArrayReader(Nulls nulls) : nulls_(nulls) {}

  void add_row(JsonValue row, JsonPlace& place) {
    std::size_t column = 0;
    const std::size_t width = for_each(row, place, [&](JsonValue cell) { add_cell(cell, place, column++); });
    if (rows_ == 0) width_ = width;
    if (width != width_ && ragged_.empty()) {
      ragged_ = fmt::format("row {} has {} entries, row 0 has {}", rows_, width, width_);
    }
    ++rows_;
  }

  /// Returns the array; `place` is where it begins.
  ArcArray finish(const JsonPlace& place) {
    if (rows_ == 0 || width_ == 0) fail(place, "empty; expected (n+1) rows of (n+1) numbers");
    if (!ragged_.empty()) fail(place, ragged_);
    if (rows_ != width_) fail(place, fmt::format("{}x{} is not square", rows_, width_));
    if (labels_ == kUnknown) set_labels(0);
    return {static_cast<int>(rows_), labels_, std::move(values_)};
  }

 private:
  void add_cell(JsonValue cell, JsonPlace& place, std::size_t column) {
    if (is_list(cell)) return add_labels(cell, place, column);
    if (is_null(cell)) return add_null(place, column);
    if (labels_ == kUnknown) set_labels(0);
    const double number = read_cell(cell, place, column);
    if (labels_ > 0) fail(place, fmt::format("a number, but {} holds a list of {} labels", first_, labels_));
    remember_first(place);
    values_.push_back(number);
  }

  double read_cell(JsonValue cell, const JsonPlace& place, std::size_t column) const {
    const double number = read_number(cell, place, hint());
    const bool score = nulls_ == Nulls::impossible && !is_ignored_cell(rows_, column);
    if (score && std::abs(number) > kLargestScore) {
      fail(place, fmt::format("{:g} is not a log-weight, which is a number up to 1e100 in size{}", number, hint()));
    }
    return number;
  }

  void add_labels(JsonValue cell, JsonPlace& place, std::size_t column) {
    if (labels_ == 0) fail(place, fmt::format("a list, but {} holds a number", first_));
    cell_.clear();
    const std::size_t count = for_each(cell, place, [&](JsonValue label) {
      const bool impossible = nulls_ == Nulls::impossible && is_null(label);
      cell_.push_back(impossible ? kImpossible : read_cell(label, place, column));
    });
    if (count == 0) fail(place, "an empty list of labels");
    if (labels_ == kUnknown) {
      remember_first(place);
      set_labels(static_cast<int>(count));
    }
    if (count != static_cast<std::size_t>(labels_))
      fail(place, fmt::format("{} labels, but {} has {}", count, first_, labels_));
    values_.insert(values_.end(), cell_.begin(), cell_.end());
  }

  void add_null(const JsonPlace& place, std::size_t column) {
    const bool ignored = is_ignored_cell(rows_, column);
    if (nulls_ == Nulls::only_where_ignored && !ignored) fail(place, "null is not a feature value; use 0");
    if (labels_ == kUnknown) {
      ++pending_;
    } else {
      values_.resize(values_.size() + static_cast<std::size_t>(std::max(labels_, 1)), null_value());
    }
  }

  /// The first cell that is not null decides whether there are labels. The nulls before it are filled in now.
  void set_labels(int labels) {
    labels_ = labels;
    values_.assign(pending_ * static_cast<std::size_t>(std::max(labels, 1)), null_value());
  }

  void remember_first(const JsonPlace& place) {
    if (first_.empty()) first_ = place.str();
  }
  double null_value() const { return nulls_ == Nulls::impossible ? kImpossible : 0.0; }
  std::string_view hint() const {
    return nulls_ == Nulls::impossible ? "; use null for an impossible arc" : "; features are finite numbers";
  }

  Nulls nulls_;
  std::size_t rows_ = 0;
  std::size_t width_ = 0;
  std::size_t pending_ = 0;  ///< How many nulls came before the first number or list.
  int labels_ = kUnknown;
  std::string first_;  ///< The place of the cell that decided.
  std::string ragged_;
  std::vector<double> cell_;
  std::vector<double> values_;
};

void append_matrix(const ArcArray& matrix, FeatureFields& out) {
  const int labels = std::max(matrix.labels, 1);
  std::size_t next = 0;
  for (int head = 0; head < matrix.nodes; ++head) {
    for (int dependent = 0; dependent < matrix.nodes; ++dependent) {
      for (int label = 0; label < labels; ++label) {
        const double value = matrix.values[next++];
        if (value == 0.0 || is_ignored_cell(head, dependent)) continue;
        out.entries.push_back({head, dependent, out.matrices, value, matrix.labels == 0 ? -1 : label});
      }
    }
  }
}

/// Takes an element of "features" that is a matrix.
void finish_matrix(ArcArrayReader& reader, const JsonPlace& place, FeatureFields& out) {
  const ArcArray matrix = reader.finish(place);
  if (out.matrices > 0 && (matrix.nodes != out.nodes || matrix.labels != out.labels)) {
    fail(place, "not of the same shape as features[0]");
  }
  out.nodes = matrix.nodes;
  out.labels = matrix.labels;
  append_matrix(matrix, out);
  ++out.matrices;
}

/// Takes an element of "features" that is [head, dependent, feature, value] or the same with a label.
void finish_entry(const std::vector<double>& numbers, const JsonPlace& place, FeatureFields& out) {
  if (numbers.size() != 4 && numbers.size() != 5) {
    fail(place,
         fmt::format("{} numbers; expected [head, dependent, feature, value] or the same and a label", numbers.size()));
  }
  const auto index = [&](std::size_t i, const char* name) {
    if (numbers[i] != std::floor(numbers[i]) || numbers[i] < 0 || numbers[i] >= kMaxIndex) {
      fail(place, fmt::format("{} {} is not an index", name, numbers[i]));
    }
    return static_cast<int>(numbers[i]);
  };
  out.entries.push_back({index(0, "head"), index(1, "dependent"), index(2, "feature"), numbers[3],
                         numbers.size() == 5 ? index(4, "label") : -1});
}

}  // namespace

ArcArray read_scores(JsonValue value, JsonPlace& place) {
  ArcArrayReader reader(Nulls::impossible);
  for_each(value, place, [&](JsonValue row) { reader.add_row(row, place); });
  return reader.finish(place);
}

// An element whose own elements are lists is a matrix, one whose elements are numbers a sparse entry.
FeatureFields read_features(JsonValue value, JsonPlace& place) {
  FeatureFields out;
  bool decided = false;
  for_each(value, place, [&](JsonValue element) {
    ArcArrayReader matrix(Nulls::only_where_ignored);
    std::vector<double> numbers;
    const std::size_t size = for_each(element, place, [&](JsonValue item) {
      const bool dense = is_list(item);
      if (!std::exchange(decided, true)) out.dense = dense;
      if (dense != out.dense) fail(place, "features are either all matrices or all [head, dependent, feature, value]");
      if (dense) return matrix.add_row(item, place);
      numbers.push_back(read_number(item, place, "; features are finite numbers"));
    });
    if (size == 0) fail(place, "an empty list");
    out.dense ? finish_matrix(matrix, place, out) : finish_entry(numbers, place, out);
  });
  return out;
}

}  // namespace kirchhoff::cli
