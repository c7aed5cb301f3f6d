#include "answers/wants.hpp"

#include "answers/want_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kirchhoff::cli {
namespace {

double parse_parameter(std::string_view name, std::string_view text, const Limits& limits) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  const bool inside = value > limits.low || (limits.low_allowed && value == limits.low);
  if (!number || !inside || value == limits.forbidden) {
    throw UsageError(fmt::format("--want {}: '{}' is not {}", name, text, limits.text));
  }
  return value;
}

std::string names() {
  std::string out;
  for (const auto& want : kAnyWants) out += fmt::format("{}{}{}", out.empty() ? "" : ", ", want.name, want.argument);
  return out;
}

Ask parse_want(std::string_view item) {
  const std::size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  for (std::size_t i = 0; i < kAnyWants.size(); ++i) {
    const auto& want = kAnyWants[i];
    if (want.name != name) continue;
    const bool given = equals != std::string_view::npos;
    if (!want.parameter && given) throw UsageError(fmt::format("--want {} takes no '='", name));
    if (want.parameter && !given) throw UsageError(fmt::format("--want {} needs {}{}", name, name, want.argument));
    return {i, given ? parse_parameter(name, item.substr(equals + 1), *want.parameter) : 0.0};
  }
  throw UsageError(fmt::format("--want: unknown '{}'; known: {}, all", item, names()));
}

void add_ask(const Ask& ask, std::vector<Ask>& asks) {
  const auto same = std::find_if(asks.begin(), asks.end(), [&](const Ask& a) { return a.want == ask.want; });
  if (same == asks.end()) return asks.push_back(ask);
  if (same->parameter != ask.parameter) {
    throw UsageError(fmt::format("--want: {} given twice", kAnyWants[ask.want].name));
  }
}

}  // namespace

void parse_wants(std::string_view list, Question& question) {
  question.all = list == "all";
  question.asks.clear();
  if (question.all) return;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    add_ask(parse_want(list.substr(start, comma - start)), question.asks);
    start = comma + 1;
  }
}

std::string wants_help() {
  constexpr std::array<std::string_view, 9> kFieldNames = {"", "gold", "other", "", "features", "", "", "", "target"};
  std::string out;
  for (const auto& want : kAnyWants) {
    std::string needed;
    for (const unsigned bit : {gold, other, features, target}) {
      if (want.needs & bit) needed += fmt::format("{}\"{}\"", needed.empty() ? "; needs " : " and ", kFieldNames[bit]);
    }
    out += fmt::format("  {:<18}{}{}\n", fmt::format("{}{}", want.name, want.argument), want.help, needed);
  }
  return out;
}

bool is_bulky(const Question& question) {
  return std::any_of(question.asks.begin(), question.asks.end(), [](const Ask& a) { return kAnyWants[a.want].bulky; });
}

}  // namespace kirchhoff::cli
