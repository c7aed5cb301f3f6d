// Features of a character: its neighbours and their kinds, what stands left and right of it between white space, and
// the words before and after a gap.
#include "text/token_features.hpp"

#include "text/feature_hash.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::text {
namespace {

constexpr int kWindow = 3;
constexpr std::size_t kLongest = 20;  // Characters: of longer pieces the part next to the character counts.

/// The pieces between white space, as positions of characters.
struct Pieces {
  std::vector<std::size_t> begin, end;  ///< For each character: of its piece, or for white space of the gap.
};

Pieces pieces_of(std::span<const Character> characters) {
  const std::size_t n = characters.size();
  Pieces pieces{std::vector<std::size_t>(n), std::vector<std::size_t>(n)};
  for (std::size_t i = 0; i < n;) {
    std::size_t end = i;
    while (end < n && characters[end].is_space() == characters[i].is_space()) ++end;
    std::fill(pieces.begin.begin() + static_cast<std::ptrdiff_t>(i),
              pieces.begin.begin() + static_cast<std::ptrdiff_t>(end), i);
    std::fill(pieces.end.begin() + static_cast<std::ptrdiff_t>(i),
              pieces.end.begin() + static_cast<std::ptrdiff_t>(end), end);
    i = end;
  }
  return pieces;
}

class Finder {
 public:
  Finder(std::string_view text, std::span<const Character> characters, SequenceKeys& keys)
      : text_(text), characters_(characters), pieces_(pieces_of(characters)), out_(keys) {}

  void find(std::size_t i) {
    at_ = i;
    add_window();
    add_pieces();
    add_neighbours();
    out_.end_position();
  }

 private:
  std::uint64_t code(int offset) const {
    const Character* c = character(offset);
    return c == nullptr ? 0 : c->is_space() ? ' ' : c->code;
  }
  std::uint64_t kind(int offset) const {
    const Character* c = character(offset);
    if (c == nullptr) return 1;
    if (c->is_space()) return ' ';
    return c->kind == CharacterKind::punctuation ? c->code : static_cast<std::uint64_t>(c->kind) + 2;
  }
  const Character* character(int offset) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(at_) + offset;
    return at < 0 || at >= std::ssize(characters_) ? nullptr : &characters_[static_cast<std::size_t>(at)];
  }
  std::uint64_t hash(std::size_t begin, std::size_t end) const {
    if (begin >= end) return 0;
    const std::size_t last = end < characters_.size() ? characters_[end].begin : text_.size();
    return parser::hash_text(text_.substr(characters_[begin].begin, last - characters_[begin].begin));
  }
  /// The piece that ends before a position, and the one that begins at or after it, beyond white space.
  std::uint64_t piece_before(std::size_t i) const {
    if (i > 0 && characters_[i - 1].is_space()) i = pieces_.begin[i - 1];
    return i == 0 ? 0 : hash(std::max(pieces_.begin[i - 1], i - std::min(i, kLongest)), i);
  }
  std::uint64_t piece_after(std::size_t i) const {
    if (i < characters_.size() && characters_[i].is_space()) i = pieces_.end[i];
    return i >= characters_.size() ? 0 : hash(i, std::min(pieces_.end[i], i + kLongest));
  }

  void add_window() {
    out_.add({});
    for (int o = -kWindow; o <= kWindow; ++o) out_.add({code(o)});
    for (int o = -kWindow; o <= kWindow; ++o) out_.add({kind(o)});
    for (int o = -2; o <= 1; ++o) out_.add({code(o), code(o + 1)});
    for (int o = -2; o <= 0; ++o) out_.add({code(o), code(o + 1), code(o + 2)});
    for (int o = -3; o <= 1; ++o) out_.add({kind(o), kind(o + 1), kind(o + 2)});
    out_.add({kind(-2), kind(-1), kind(0), kind(1), kind(2)});
    out_.add({code(-2), code(-1), code(0), code(1)});
    out_.add({code(-1), code(0), code(1), code(2)});
  }

  /// What is left and right of the character in its piece.
  void add_pieces() {
    const std::size_t begin = pieces_.begin[at_], end = pieces_.end[at_];
    const std::size_t left = std::min(at_ - begin, kLongest), right = std::min(end - at_, kLongest);
    if (characters_[at_].is_space()) {
      for (int t = 0; t < 6; ++t) out_.skip();
      return;
    }
    const std::uint64_t before = hash(at_ - left, at_), after = hash(at_, at_ + right);
    out_.add({before});
    out_.add({after});
    out_.add({before, after});
    out_.add({before, kind(0)});
    out_.add({left, right});
    out_.add({before, code(0), code(1)});
  }

  /// The words around a gap. A sentence begins after one, mostly, and some tokens have blanks inside.
  void add_neighbours() {
    const bool at_gap = characters_[at_].is_space() || pieces_.begin[at_] == at_;
    if (!at_gap) {
      // Sentences also begin within a piece, as after a bracket: the character's kind and the piece before it.
      out_.add({piece_before(pieces_.begin[at_]), kind(-1), kind(0)});
      return;
    }
    out_.skip();
    const std::uint64_t before = piece_before(at_), after = piece_after(at_);
    out_.add({before});
    out_.add({after});
    out_.add({before, after});
    out_.add({before, kind(0)});
    out_.add({kind(-2), after});
    const std::size_t gap = characters_[at_].is_space() ? at_ : at_ - std::min<std::size_t>(at_, 1);
    const std::size_t last = gap > 0 && characters_[gap].is_space() ? pieces_.begin[gap] : gap;  // of the piece before
    const std::uint64_t length = last == 0 ? 0 : std::min<std::size_t>(last - pieces_.begin[last - 1], 6);
    out_.add({length, kind(-2), kind(0), kind(1)});
    out_.add({last < 2 ? 0 : static_cast<std::uint64_t>(characters_[last - 1].code), before, kind(0)});
    out_.add({last < 2 ? 0 : static_cast<std::uint64_t>(characters_[last - 1].code), kind(0), kind(1), kind(2)});
  }

  std::string_view text_;
  std::span<const Character> characters_;
  Pieces pieces_;
  FeatureWriter out_;
  std::size_t at_ = 0;
};

}  // namespace

Matrix token_transitions() {
  Matrix m = Matrix::Zero(kTokenTags, kTokenTags);
  for (const int to : {kInside, kBlank}) m(kBetween, to) = -HUGE_VAL;
  for (const int to : {kToken, kSentence, kBetween, kBlank}) m(kBlank, to) = -HUGE_VAL;
  return m;
}

void forbid_tags(std::span<const Character> characters, Matrix& emissions) {
  for (std::size_t i = 0; i < characters.size(); ++i) {
    auto row = emissions.row(static_cast<Eigen::Index>(i));
    const bool space = characters[i].is_space();
    if (space) row[kToken] = row[kInside] = row[kSentence] = -HUGE_VAL;
    if (!space) row[kBetween] = row[kBlank] = -HUGE_VAL;
    const bool may_be_inside = i + 1 < characters.size() && !characters[i + 1].is_space();
    if (characters[i].kind != CharacterKind::blank || !may_be_inside) row[kBlank] = -HUGE_VAL;
    if (i == 0) row[kToken] = row[kInside] = -HUGE_VAL;
  }
}

void find_token_features(std::string_view text, std::span<const Character> characters, SequenceKeys& keys) {
  Finder finder(text, characters, keys);
  for (std::size_t i = 0; i < characters.size(); ++i) finder.find(i);
}

}  // namespace kirchhoff::text
