// What the table of wants (sequence_wants.hpp) is for chains.
#include "answers/sequence_wants.hpp"
#include "json/chain_line.hpp"

#include <kirchhoff/chain_expectation.hpp>
#include <kirchhoff/chain_paths.hpp>

namespace kirchhoff::cli {
namespace {

struct Chains {
  using Distribution = ChainDistribution;
  using Arrays = ChainArrays;
  using Gold = Tags;
  using Found = TagSequence;
  using Line = ChainLine;

  static constexpr std::string_view kScores = "emissions", kPlural = "sequences",
                                    kMbr = "the one with the most tags expected to be right";

  static Found best(const Distribution& p) { return best_tags(p); }
  static Found mbr(const Distribution& p) { return mbr_tags(p); }
  static std::vector<Found> k_best(const Distribution& p, int k) { return k_best_tags(p, k); }
  static std::vector<Found> samples(const Distribution& p, int k, std::uint64_t seed) {
    return sample_tag_sequences(p, k, seed, 1);
  }
  static const std::vector<Found>& found_in(const PerturbedTags& sample) { return sample.sequences; }

  /// Numbers for tags, and a matrix for each pair of neighbouring positions.
  static void write_tables(const Arrays& tables, JsonWriter& out) {
    out.object([&] {
      out.key("emissions");
      out.write(tables.emissions);
      out.key("transitions");
      out.list(tables.length() - 1, [&](int t) {
        out.write(Matrix(tables.transitions.middleRows(static_cast<Eigen::Index>(t) * tables.tags(), tables.tags())));
      });
    });
  }
  static void write_labels(const Found& found, JsonWriter& out) {
    out.key("tags");
    out.list(found.tags.size(), [&](std::size_t t) { out.write(found.tags[t]); });
  }
  template <class Subject>
  static constexpr std::array kMarginals = {
      Want<Subject>{{"marginals", "probability of every tag, and of every pair of neighbours"},
                    [](const Subject& x, const Ask&, JsonWriter& out) { write_tables(x.p.marginals(), out); }},
      Want<Subject>{{"log_marginals", "their logarithms"},
                    [](const Subject& x, const Ask&, JsonWriter& out) { write_tables(x.p.log_marginals(), out); }}};

  static Line read(std::string_view line, UnknownFields unknown) { return read_chain(line, unknown); }
  static int length(const Arrays& scores) { return scores.length(); }
  static Method method(const Distribution& p) { return p.report().method; }
  static Distribution distribution(const Arrays& scores, Method method) { return Distribution(scores, method); }
  /// The distribution given that the line's constraints hold.
  static Distribution constrained(const Line& line, Method method) {
    ChainArrays scores = line.scores;
    for (const auto& [position, tag] : line.require) {
      for (int other = 0; other < scores.tags(); ++other) {
        if (other != tag) scores.emission(position, other) = -HUGE_VAL;
      }
    }
    for (const auto& [position, tag] : line.forbid) scores.emission(position, tag) = -HUGE_VAL;
    return distribution(scores, method);
  }
};

}  // namespace

SequenceAnswers chain_answers() { return SequenceWants<Chains>::kAnswers; }

}  // namespace kirchhoff::cli
