// Reads the UAI format for Markov networks: a type, the cardinalities, the scopes, then one table for each scope, in
// which the last variable of the scope varies fastest.
//
// The format is described at http://sli.ics.uci.edu/~ihler/uai-data/
#include "json/factor_line.hpp"
#include "json/value.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace kirchhoff::cli {
namespace {

constexpr std::size_t kMaxEntries = std::size_t{1} << 16;

class UaiTokens {
 public:
  explicit UaiTokens(std::string_view text) : text_(text) {}

  std::string_view next(const char* what) {
    skip_space();
    if (at_ == text_.size()) fail(fmt::format("the file ends where {} is expected", what));
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  template <class Number>
  Number number(const char* what, Number low, Number high) {
    const std::string_view token = next(what);
    Number value{};
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size() || !(value >= low && value <= high)) {
      fail(fmt::format("{}: '{}' is not a number from {} to {}", what, shown(token), low, high));
    }
    return value;
  }
  void expect_end() {
    skip_space();
    if (at_ < text_.size()) fail(fmt::format("'{}' follows the last table", shown(next(""))));
  }
  [[noreturn]] void fail(const std::string& problem) const {
    throw ReadError(fmt::format("line {}: {}", line_, problem));
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void skip_space() {
    for (; at_ < text_.size() && is_space(text_[at_]); ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
  }
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

struct UaiScope {
  std::vector<int> variables;
  std::size_t entries = 1;
};

UaiGraph read_variables(UaiTokens& tokens) {
  UaiGraph result;
  const int count = tokens.number("the number of variables", 0, 10'000'000);
  for (int v = 0; v < count; ++v) {
    const int values = tokens.number("a cardinality", 1, 65536);
    result.cardinality.push_back(values);
    result.first.push_back(values == 1 ? -1 : result.graph.variables());
    if (values == 2) result.graph.add_variable();
    if (values > 2) result.graph.add_values(std::vector<double>(static_cast<std::size_t>(values), 0.0));
  }
  return result;
}

std::vector<UaiScope> read_scopes(UaiTokens& tokens, const UaiGraph& uai) {
  const int count = tokens.number("the number of factors", 0, 100'000'000);
  const int variables = static_cast<int>(uai.cardinality.size());
  std::vector<UaiScope> scopes;  // This grows as the file does, so that a wrong count costs no memory.
  for (int f = 0; f < count; ++f) {
    UaiScope& scope = scopes.emplace_back();
    const int size = tokens.number("the size of a scope", 0, variables);
    for (int k = 0; k < size; ++k) {
      scope.variables.push_back(tokens.number("a variable", 0, variables - 1));
      scope.entries *= static_cast<std::size_t>(uai.cardinality[scope.variables.back()]);
      if (scope.entries > kMaxEntries) tokens.fail("a table of more than 65536 entries");
    }
  }
  return scopes;
}

/// The literals that stand for a variable of several values.
Literals group(const UaiGraph& uai, int v) {
  Literals literals = {Variable{uai.first[v]}};
  for (int k = 1; uai.cardinality[v] > 2 && k < uai.cardinality[v]; ++k) literals.push_back(Variable{uai.first[v] + k});
  return literals;
}

void read_table(UaiTokens& tokens, const UaiScope& scope, std::size_t index, UaiGraph& uai) {
  const auto entries = tokens.number("the size of a table", std::size_t{0}, kMaxEntries);
  if (entries != scope.entries) {
    tokens.fail(fmt::format("table {}: {} entries, its scope has {}", index, entries, scope.entries));
  }
  std::vector<double> logs;
  for (std::size_t e = 0; e < entries; ++e) logs.push_back(std::log(tokens.number("an entry", 0.0, 1e300)));
  std::vector<Literals> groups;
  for (const int v : scope.variables) {
    if (uai.cardinality[v] > 1) groups.push_back(group(uai, v));
  }
  if (groups.empty()) {
    uai.constant += logs[0];
    return;
  }
  in_field(fmt::format("table {}", index), [&] { uai.graph.add_table(groups, logs); });
}

}  // namespace

UaiGraph read_uai(std::string_view text) {
  UaiTokens tokens(text);
  if (tokens.next("MARKOV") != "MARKOV") tokens.fail("not a network of type MARKOV");
  UaiGraph uai = read_variables(tokens);
  const std::vector<UaiScope> scopes = read_scopes(tokens, uai);
  for (std::size_t i = 0; i < scopes.size(); ++i) read_table(tokens, scopes[i], i, uai);
  tokens.expect_end();
  return uai;
}

std::vector<int> UaiGraph::values(const Assignment& assignment) const {
  std::vector<int> result;
  for (std::size_t v = 0; v < cardinality.size(); ++v) {
    int value = 0;
    if (cardinality[v] == 2) value = assignment[first[v]];
    for (int k = 1; cardinality[v] > 2 && k < cardinality[v]; ++k) {
      if (assignment[first[v] + k]) value = k;
    }
    result.push_back(value);
  }
  return result;
}

}  // namespace kirchhoff::cli
