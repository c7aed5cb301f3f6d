// Reads lists of wants: splits them at commas outside quotes, looks up names, and checks arguments.
#include "answers/wants.hpp"

#include "number.hpp"
#include "usage_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff::cli {
namespace {

using Kind = ArgumentRule::Kind;

std::string usage_of(const WantForm& form) {
  return form.argument.empty() ? std::string(form.name) : fmt::format("{}={}", form.name, form.argument);
}

double argument_of(const WantForm& form, std::string_view text) {
  const ArgumentRule& rule = form.rule;
  const auto value = parse_number<double>(text);
  const NumberRange range{rule.low, rule.high,
                          rule.low_allowed ? NumberRange::Ends::both : NumberRange::Ends::only_high};
  const bool good = value && std::isfinite(*value) && range.has(*value) && *value != rule.forbidden &&
                    (rule.kind != Kind::whole_number || *value == std::floor(*value));
  if (!good) throw UsageError(fmt::format("--want {}: '{}' is not {}", form.name, text, rule.allowed));
  return *value;
}

std::vector<int> list_of(const WantForm& form, std::string_view text) {
  std::vector<int> list;
  for (const std::string_view word : words_in(text)) {
    const int number = parse_number<int>(word).value_or(-1);
    if (number < 0) throw UsageError(fmt::format("--want {}: '{}' is not {}", form.name, word, form.rule.allowed));
    list.push_back(number);
  }
  if (list.empty()) throw UsageError(fmt::format("--want {}: '{}' is not {}", form.name, text, form.rule.allowed));
  return list;
}

const WantForm& find_form(std::string_view name, std::span<const WantForm> forms) {
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const WantForm& f) { return f.name == name; });
  if (form != forms.end()) return *form;
  std::string known;
  for (const WantForm& f : forms) known += usage_of(f) + ", ";
  throw UsageError(fmt::format("--want: unknown '{}'; known: {}all", name, known));
}

std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

Ask parse_item(std::string_view item, std::span<const WantForm> forms) {
  const std::size_t equals = item.find('=');
  const WantForm& form = find_form(item.substr(0, equals), forms);
  const bool given = equals != std::string_view::npos;
  const bool takes = form.rule.kind != Kind::none;
  if (given && !takes) throw UsageError(fmt::format("--want {} takes no '='", form.name));
  if (!given && takes) throw UsageError(fmt::format("--want {} needs {}", form.name, usage_of(form)));
  Ask ask{static_cast<std::size_t>(&form - forms.data()), 0.0, {}, {}};
  if (!takes) return ask;
  const std::string_view value = without_quotes(item.substr(equals + 1));
  if (form.rule.kind == Kind::text) {
    ask.text = value;
  } else if (form.rule.kind == Kind::list) {
    ask.list = list_of(form, value);
  } else {
    ask.number = argument_of(form, value);
  }
  return ask;
}

/// Takes an item once when it is repeated, and refuses the same want with two arguments.
void add_ask(Ask ask, std::string_view name, std::vector<Ask>& asks) {
  const auto same = std::find_if(asks.begin(), asks.end(), [&](const Ask& a) { return a.want == ask.want; });
  if (same == asks.end()) return asks.push_back(std::move(ask));
  if (same->number != ask.number || same->list != ask.list || same->text != ask.text) {
    throw UsageError(fmt::format("--want: {} given twice, with different arguments; take one of them", name));
  }
}

/// The end of the item that begins at `start`: the next comma outside quotes, or the end of the list.
std::size_t item_end(std::string_view list, std::size_t start) {
  bool inside_quotes = false;
  std::size_t i = start;
  for (; i < list.size() && (inside_quotes || list[i] != ','); ++i) inside_quotes ^= list[i] == '"';
  return i;
}

}  // namespace

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(' '); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(' ', end);
  }
  return words;
}

WantList parse_wants(std::string_view list, std::span<const WantForm> forms) {
  WantList wants;
  wants.all = list == "all";
  for (std::size_t start = 0; !wants.all && start <= list.size();) {
    const std::size_t end = item_end(list, start);
    Ask ask = parse_item(list.substr(start, end - start), forms);
    const std::string_view name = forms[ask.want].name;
    add_ask(std::move(ask), name, wants.asks);
    start = end + 1;
  }
  return wants;
}

std::vector<Ask> asks_of(const WantList& list, std::span<const WantForm> forms, unsigned given) {
  if (!list.all) return list.asks;
  std::vector<Ask> asks;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const bool answerable = (forms[i].needs & ~given) == 0;
    if (forms[i].rule.kind == Kind::none && !forms[i].bulky && answerable) asks.push_back({i, 0.0, {}, {}});
  }
  return asks;
}

bool is_bulky(const WantList& list, std::span<const WantForm> forms) {
  return std::any_of(list.asks.begin(), list.asks.end(), [&](const Ask& ask) { return forms[ask.want].bulky; });
}

std::string wants_help(std::span<const WantForm> forms, std::span<const std::string_view> inputs) {
  std::string out;
  std::size_t width = 18;
  for (const WantForm& form : forms) width = std::max(width, usage_of(form).size() + 1);
  for (const WantForm& form : forms) {
    std::string needed;
    for (std::size_t bit = 0; bit < inputs.size(); ++bit) {
      if (form.needs >> bit & 1U) needed += fmt::format("{}{}", needed.empty() ? "; needs " : " and ", inputs[bit]);
    }
    out += fmt::format("  {:<{}}{}{}\n", usage_of(form), width, form.help, needed);
  }
  return out;
}

}  // namespace kirchhoff::cli
