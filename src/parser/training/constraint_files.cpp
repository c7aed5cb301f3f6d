// Reads files of constraints.
#include "base/check.hpp"
#include "base/message.hpp"
#include "parser/training/constraints.hpp"

#include <charconv>
#include <istream>
#include <sstream>

namespace kirchhoff {
namespace {

/// Reads a whole text as a number.
template <class Number>
bool is_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// "3", "1-3" or "4-", which has no end.
bool read_distance(std::string_view text, TagConstraint& c) {
  const std::size_t dash = text.find('-');
  if (!is_number(text.substr(0, dash), c.nearest)) return false;
  if (dash == std::string_view::npos) {
    c.farthest = c.nearest;
  } else if (dash + 1 < text.size() && !is_number(text.substr(dash + 1), c.farthest)) {
    return false;
  }
  return c.nearest >= 1 && c.farthest >= c.nearest;
}

constexpr const char* kFile = "constraints";

/// "0.3", ">=0.3" or "<=0.3".
void read_share(const std::string& word, double& share, TagConstraint::Bound& bound) {
  std::string_view text = word;
  if (text.starts_with(">=")) bound = TagConstraint::Bound::at_least;
  if (text.starts_with("<=")) bound = TagConstraint::Bound::at_most;
  if (bound != TagConstraint::Bound::equal) text.remove_prefix(2);
  if (!is_number(text, share) || !(share >= 0.0 && share <= 1.0)) {
    base::input_error(kFile, "'" + word + "' is not a share between 0 and 1");
  }
}

/// Takes "deprel=nsubj" off the words before the last one, and returns the relation; nothing when there is none.
std::string take_relation(std::vector<std::string>& words) {
  constexpr std::string_view kColumn = "deprel=";
  if (words.size() < 2 || !words[words.size() - 2].starts_with(kColumn)) return {};
  const std::string relation = words[words.size() - 2].substr(kColumn.size());
  if (relation.empty()) base::input_error(kFile, "'deprel=' lacks a relation");
  words.erase(words.end() - 2);
  return relation;
}

/// Calls read with the words of each line. What it throws becomes a ParseError of that line.
template <class Read>
void read_lines(std::istream& in, const std::string& name, const Read& read) {
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word && word[0] != '#';) words.push_back(word);
    if (words.empty()) continue;
    try {
      read(words);
    } catch (const InputError& error) {
      throw ParseError(name, number, 1, base::without_function(error.what()));
    }
  }
}

}  // namespace

std::vector<TagConstraint> read_tag_constraints(std::istream& in, const std::string& name) {
  std::vector<TagConstraint> constraints;
  read_lines(in, name, [&](std::vector<std::string>& words) {
    const auto fail = [](const std::string& why) { base::input_error(kFile, why); };
    const std::string relation = take_relation(words);
    if (words.size() < 5 || words.size() > 6 || words[1] != "->") {
      fail("expected 'WORDS -> HEADS " + all_names<TagConstraint::Side>("|") + " [DISTANCE] [deprel=RELATION] SHARE'");
    }
    const auto side = parse_name<TagConstraint::Side>(words[3]);
    if (!side) fail("'" + words[3] + "' is none of " + all_names<TagConstraint::Side>());
    TagConstraint c{words[0], words[2], *side};
    if (words.size() == 6 && !read_distance(words[4], c)) {
      fail("'" + words[4] + "' is not a distance such as 1, 1-3 or 4-");
    }
    read_share(words.back(), c.share, c.bound);
    c.relation = relation;
    parser::ConstraintSet({c});
    constraints.push_back(c);
  });
  return constraints;
}

std::vector<FeatureConstraint> read_feature_constraints(std::istream& in, const std::string& name) {
  std::vector<FeatureConstraint> constraints;
  read_lines(in, name, [&](std::vector<std::string>& words) {
    FeatureConstraint c;
    c.relation = take_relation(words);
    if (words.size() < 2) base::input_error(kFile, "expected 'FEATURE [deprel=RELATION] SHARE'");
    for (std::size_t k = 0; k + 1 < words.size(); ++k) c.feature += (k > 0 ? " " : "") + words[k];
    read_share(words.back(), c.share, c.bound);
    parser::ConstraintSet({}, {c});
    constraints.push_back(c);
  });
  return constraints;
}

}  // namespace kirchhoff
