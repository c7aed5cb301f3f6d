// Compiles the text of templates, and names the line that is wrong when there is one.
#include "parser/features/templates.hpp"

#include "base/check.hpp"
#include "parser/features/hash.hpp"

#include <algorithm>

namespace kirchhoff::parser {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(separator));
    if (!item.empty()) items.push_back(item);
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return items;
}

[[noreturn]] void bad(std::string_view what) {
  base::input_error("Templates", "'" + std::string(what) + "' is no atom");
}

template <class T>
std::uint16_t index_of(std::vector<T>& list, const T& item, const auto& same) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& other) { return same(other, item); });
  if (found != list.end()) return static_cast<std::uint16_t>(found - list.begin());
  list.push_back(item);
  return static_cast<std::uint16_t>(list.size() - 1);
}

bool same_part(const Templates::NodePart& a, const Templates::NodePart& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.place == y.place; });
}

/// The place of a name in a list; -1 when it is not there.
int pair_atom(std::string_view word) {
  const auto found = std::find(kPairAtomNames.begin(), kPairAtomNames.end(), word);
  return found == kPairAtomNames.end() ? -1 : static_cast<int>(found - kPairAtomNames.begin());
}

}  // namespace

std::string lines_of_roles(std::string_view text, std::string_view roles) {
  std::string lines;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    const bool other = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
      return word.find('.') != std::string_view::npos && roles.find(word.front()) == std::string_view::npos;
    });
    if (!other) lines += std::string(line) + "\n";
  }
  return lines;
}

Templates::Templates(std::string roles, std::string_view text, std::string_view kind)
    : roles_(std::move(roles)), text_(text) {
  if (roles_.empty() || roles_.size() > kMaxRoles) base::input_error("Templates", "bad roles");
  salt_ = hash_text(roles_ + std::string(kind));
  node_parts_.assign(roles_.size(), {NodePart{}});  // Part 0 is empty.
  for (const std::string_view line : split(text, '\n')) add_line(line);
}

void Templates::add_line(std::string_view line) {
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos) base::input_error("Templates", "no bar in '" + std::string(line) + "'");
  for (const std::string_view variant : split(line.substr(0, bar), ' ')) add(variant, line.substr(bar + 1));
}

void Templates::add(std::string_view variant, std::string_view atoms) {
  if (single_.size() + between_.size() == kMaxTemplates) {
    base::input_error("Templates", "more than " + std::to_string(kMaxTemplates) + " templates");
  }
  std::vector<NodePart> parts(roles_.size());
  PairPart pair = 0;
  std::vector<std::string_view> words = split(atoms, ' ');
  if (variant != "any") words.push_back(variant);
  for (const std::string_view word : words) {
    if (const int p = pair_atom(word); p >= 0) {
      pair |= 1U << p;
      continue;
    }
    const std::size_t role = roles_.find(word.front());
    if (role == std::string::npos) bad(word);
    parts[role].push_back(node_atom(word, role));
  }
  Template t;
  for (std::size_t r = 0; r < roles_.size(); ++r) t.node_part[r] = index_of(node_parts_[r], parts[r], same_part);
  t.pair_part = index_of(pair_parts_, pair, std::equal_to<>());
  const bool set = (pair >> static_cast<int>(PairAtom::between) & 1U) != 0;
  (set ? between_ : single_).push_back(t);
}

Templates::NodeAtom Templates::node_atom(std::string_view word, std::size_t role) const {
  NodeAtom atom;
  std::size_t dot = 1;
  if (word.size() > 3 && (word[1] == '+' || word[1] == '-')) {
    atom.offset = (word[1] == '+' ? 1 : -1) * (word[2] - '0');
    dot = 3;
  }
  if (word.size() <= dot || word[dot] != '.' || std::abs(atom.offset) > Encoded::kMargin) bad(word);
  const auto name = std::find(kAttributeNames.begin(), kAttributeNames.end(), word.substr(dot + 1));
  if (name == kAttributeNames.end()) bad(word);
  atom.attribute = static_cast<Attribute>(name - kAttributeNames.begin());
  atom.place = hash_text(word, role + 1);
  return atom;
}

}  // namespace kirchhoff::parser
