// What the table of wants (sequence_wants.hpp) is for segmentations.
#include "answers/sequence_wants.hpp"
#include "json/segment_line.hpp"

namespace kirchhoff::cli {
namespace {

struct Segmentations {
  using Distribution = SegmentDistribution;
  using Arrays = SegmentArrays;
  using Gold = Segmentation;
  using Found = ScoredSegmentation;
  using Line = SegmentLine;

  static constexpr std::string_view kScores = "segments", kPlural = "segmentations",
                                    kMbr = "the one with the most segments expected to be right";

  static Found best(const Distribution& p) { return best_segments(p); }
  static Found mbr(const Distribution& p) { return mbr_segments(p); }
  static std::vector<Found> k_best(const Distribution& p, int k) { return k_best_segments(p, k); }
  static std::vector<Found> samples(const Distribution& p, int k, std::uint64_t seed) {
    return sample_segments(p, k, seed, 1);
  }
  static const std::vector<Found>& found_in(const PerturbedSegments& sample) { return sample.segmentations; }

  /// A matrix of lengths and tags for each position, 0 for segments that would end beyond the last one, and a matrix of
  /// pairs of tags.
  static void write_tables(const Arrays& tables, JsonWriter& out) {
    out.object([&] {
      out.key("segments");
      out.list(tables.positions(), [&](int begin) {
        Matrix rows = Matrix::Zero(tables.longest(), tables.tags());
        for (int length = 1; length <= std::min(tables.longest(), tables.positions() - begin); ++length) {
          for (int tag = 0; tag < tables.tags(); ++tag) rows(length - 1, tag) = tables.segment({begin, length, tag});
        }
        out.write(rows);
      });
      out.key("transitions");
      out.write(tables.transitions);
    });
  }
  static void write_labels(const Found& found, JsonWriter& out) {
    out.key("segments");
    out.list(found.segments.size(), [&](std::size_t i) {
      const Segment& s = found.segments[i];
      out.raw(fmt::format("[{},{},{}]", s.begin, s.length, s.tag));
    });
  }
  template <class Subject>
  static constexpr std::array kMarginals = {
      Want<Subject>{{"marginals", "probability of every segment, and expected number of every pair of tags"},
                    [](const Subject& x, const Ask&, JsonWriter& out) { write_tables(x.p.marginals(), out); }}};

  static Line read(std::string_view line, UnknownFields unknown) { return read_segments(line, unknown); }
  static int length(const Arrays& scores) { return scores.positions(); }
  static Method method(const Distribution& p) { return p.machine().report().method; }
  static Distribution distribution(const Arrays& scores, Method method) {
    return Distribution(scores, {.method = method});
  }
  /// The distribution given that the line's constraints hold.
  static Distribution constrained(const Line& line, Method method) {
    SegmentArrays scores = line.scores;
    for (const Segment& segment : line.forbid) scores.segment(segment) = -HUGE_VAL;
    Distribution p = distribution(scores, method);
    for (const Segment& segment : line.require) p = p.require(segment);
    return p;
  }
};

}  // namespace

SequenceAnswers segment_answers() { return SequenceWants<Segmentations>::kAnswers; }

}  // namespace kirchhoff::cli
