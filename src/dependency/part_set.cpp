// Reads and writes the names of sets of parts.
#include "kirchhoff/part_set.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace kirchhoff {
namespace {

constexpr std::string_view kSiblings = "siblings=";

}  // namespace

std::string to_string(const PartSet& parts) {
  std::string text;
  const auto add = [&](std::string_view name) { text += (text.empty() ? "" : ",") + std::string(name); };
  if (parts.siblings != Siblings::none) {
    const std::string name(to_string(parts.siblings));
    add(parts.grandparents ? name : std::string(kSiblings) + name);
  } else if (parts.grandparents) {
    add("grandparents");
  }
  if (parts.bigrams) add("bigrams");
  if (parts.non_projective) add("nonprojective");
  return text.empty() ? "arcs" : text;
}

PartSet parse_parts(std::string_view text) {
  PartSet parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string_view kind = word.substr(word.starts_with(kSiblings) ? kSiblings.size() : 0);
    if (const auto siblings = parse_name<Siblings>(kind); siblings && *siblings != Siblings::none) {
      if (parts.siblings != Siblings::none && parts.siblings != *siblings) {
        base::input_error("parse_parts", "'" + std::string(text) + "': siblings are of one kind only");
      }
      parts.siblings = *siblings;
      if (kind == word) parts.grandparents = true;
    } else if (word == "grandparents") {
      parts.grandparents = true;
    } else if (word == "bigrams") {
      parts.bigrams = true;
    } else if (word == "nonprojective") {
      parts.non_projective = true;
    } else if (word != "arcs") {
      base::input_error("parse_parts", "'" + std::string(word) +
                                           "' is none of arcs, next, all, siblings=next, siblings=all, grandparents, "
                                           "bigrams, nonprojective");
    }
  }
  return parts;
}

}  // namespace kirchhoff
