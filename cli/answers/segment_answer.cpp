// What can be asked about segmentations: a table of wants, each with the library call that answers it.
#include "answers/segment_answer.hpp"

#include "json/segment_line.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace kirchhoff::cli {
namespace {

/// The distribution and, as far as they are given, what the other fields of its line hold.
struct SegmentSubject {
  SegmentDistribution p;
  std::optional<SegmentDistribution> q;
  Segmentation gold;
  std::vector<SegmentArrays> features;
  std::uint64_t seed = 0;
};
using X = const SegmentSubject&;
using A = const Ask&;
using Out = JsonWriter&;

/// Writes a matrix of lengths and tags for each position, 0 for segments that would end beyond the last one, and a
/// matrix of pairs of tags.
void write_tables(const SegmentArrays& tables, Out out) {
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

void write_pair(const SegmentPairGradient& gradient, Out out) {
  out.object([&] {
    out.key("p");
    write_tables(gradient.p, out);
    out.key("q");
    write_tables(gradient.q, out);
  });
}

void write_fields(const ScoredSegmentation& found, Out out) {
  out.key("segments");
  out.list(found.segments.size(), [&](std::size_t i) {
    const Segment& s = found.segments[i];
    out.raw(fmt::format("[{},{},{}]", s.begin, s.length, s.tag));
  });
  out.key("score");
  out.write(found.score);
  out.key("log_prob");
  out.write(found.log_prob);
}
void write_one(const ScoredSegmentation& found, Out out) {
  out.object([&] { write_fields(found, out); });
}
void write_several(const std::vector<ScoredSegmentation>& found, Out out) {
  out.list(found.size(), [&](std::size_t i) { write_one(found[i], out); });
}

void write_distinct(X x, A ask, Out out) {
  const PerturbedSegments sample = sample_without_replacement(x.p, static_cast<int>(ask.number), x.seed);
  out.object([&] {
    out.key("segmentations");
    out.list(sample.segmentations.size(), [&](std::size_t i) {
      out.object([&] {
        write_fields(sample.segmentations[i], out);
        out.key("perturbed");
        out.write(sample.perturbed[i]);
      });
    });
    out.key("threshold");
    out.write(sample.threshold);
  });
}

void write_cumulants(X x, A ask, Out out) {
  const int order = static_cast<int>(ask.number);
  out.list(x.features.size(),
           [&](std::size_t i) { out.write(Vector(cumulants(x.p, x.features[i], order).tail(order))); });
}

constexpr std::array kSegmentWants = {
    Want<SegmentSubject>{{"log_partition", "log of the sum over segmentations of exp(score)"},
                         [](X x, A, Out out) { out.write(x.p.log_partition()); }},
    Want<SegmentSubject>{{"log_prob", "log-probability of the gold segments", gold_field},
                         [](X x, A, Out out) { out.write(x.p.log_prob(x.gold)); }},
    Want<SegmentSubject>{{"marginals", "probability of every segment, and expected number of every pair of tags"},
                         [](X x, A, Out out) { write_tables(x.p.marginals(), out); }},
    Want<SegmentSubject>{{"log_count", "log of the number of segmentations"},
                         [](X x, A, Out out) { out.write(x.p.log_count()); }},
    Want<SegmentSubject>{{"best", "the most probable segmentation"},
                         [](X x, A, Out out) { write_one(best_segments(x.p), out); }},
    Want<SegmentSubject>{{"mbr", "the segmentation with the most segments expected to be right"},
                         [](X x, A, Out out) { write_one(mbr_segments(x.p), out); }},
    Want<SegmentSubject>{
        {"k_best", "the K most probable segmentations", no_field, "K", kMany, true},
        [](X x, A ask, Out out) { write_several(k_best_segments(x.p, static_cast<int>(ask.number)), out); }},
    Want<SegmentSubject>{
        {kSamples, "K segmentations drawn at random (--seed)", no_field, "K", kMany, true},
        [](X x, A ask, Out out) { write_several(sample_segments(x.p, static_cast<int>(ask.number), x.seed, 1), out); }},
    Want<SegmentSubject>{{kDistinct, "K of them without replacement", no_field, "K", kMany, true}, write_distinct},
    Want<SegmentSubject>{{"entropy", "Shannon entropy in nats"}, [](X x, A, Out out) { out.write(entropy(x.p)); }},
    Want<SegmentSubject>{{"entropy_gradient", "its gradient"},
                         [](X x, A, Out out) { write_tables(entropy_gradient(x.p), out); }},
    Want<SegmentSubject>{{"renyi", "Renyi entropy of order ALPHA", no_field, "ALPHA", kAlpha},
                         [](X x, A ask, Out out) { out.write(renyi(x.p, ask.number)); }},
    Want<SegmentSubject>{{"renyi_gradient", "its gradient", no_field, "ALPHA", kAlpha},
                         [](X x, A ask, Out out) { write_tables(renyi_gradient(x.p, ask.number), out); }},
    Want<SegmentSubject>{{"cross_entropy", "-E[log q]", other_field},
                         [](X x, A, Out out) { out.write(cross_entropy(x.p, *x.q)); }},
    Want<SegmentSubject>{{"kl", "KL(p || q)", other_field}, [](X x, A, Out out) { out.write(kl(x.p, *x.q)); }},
    Want<SegmentSubject>{
        {"kl_gradient", "its gradients, {\"p\":..., \"q\":...}", other_field},
        [](X x, A, Out out) { std::isinf(kl(x.p, *x.q)) ? out.raw("null") : write_pair(kl_gradient(x.p, *x.q), out); }},
    Want<SegmentSubject>{{"cross_entropy_gradient", "those of the cross-entropy", other_field},
                         [](X x, A, Out out) {
                           std::isinf(kl(x.p, *x.q)) ? out.raw("null")
                                                     : write_pair(cross_entropy_gradient(x.p, *x.q), out);
                         }},
    Want<SegmentSubject>{{"expectation", "E[f]", features_field},
                         [](X x, A, Out out) { out.write(expectation(x.p, x.features)); }},
    Want<SegmentSubject>{{"second_order", "E[f f^T]", features_field},
                         [](X x, A, Out out) { out.write(second_order(x.p, x.features, x.features)); }},
    Want<SegmentSubject>{{"covariance", "Cov(f, f)", features_field},
                         [](X x, A, Out out) { out.write(covariance(x.p, x.features, x.features)); }},
    Want<SegmentSubject>{
        {"cumulants", "first M cumulants of each feature: mean, variance, ...", features_field, "M", kMaxOrder},
        write_cumulants},
};
constexpr auto kSegmentForms = forms_of(kSegmentWants);

/// The distribution given that the line's constraints hold.
SegmentDistribution distribution_of(const SegmentLine& line, Method method) {
  SegmentArrays scores = line.scores;
  for (const Segment& segment : line.forbid) scores.segment(segment) = -HUGE_VAL;
  SegmentDistribution p(scores, {.method = method});
  for (const Segment& segment : line.require) p = p.require(segment);
  return p;
}

SegmentSubject subject_of(const SegmentLine& line, std::uint64_t seed, Method method) {
  SegmentSubject x{in_field<InputError>("segments", [&] { return distribution_of(line, method); }), {}, {}, {}, seed};
  if (line.gold) x.gold = *line.gold;
  if (line.features) x.features = *line.features;
  if (!line.other) return x;
  try {
    x.q = in_field<InputError>("other", [&] { return SegmentDistribution(*line.other, {.method = method}); });
  } catch (const Infeasible& e) {
    throw Infeasible(fmt::format("other: {}", without_function(e.what())));
  }
  return x;
}

std::string answer(const SegmentLine& line, std::size_t index, const SegmentQuestions& questions) {
  const std::vector<Ask> asks = asks_of(questions.wants, kSegmentForms, given_fields(line));
  check_needs(given_fields(line), asks, kSegmentForms);
  const SegmentSubject x = subject_of(line, questions.seed + index, questions.method);
  JsonWriter out;
  write_id_and_length(line.id, line.scores.positions(), out);
  out.key("method");
  out.raw(json_string(to_string(x.p.machine().report().method)));
  write_answers(kSegmentWants, x, asks, out);
  out.close();
  return out.take();
}

}  // namespace

WantList parse_segment_wants(std::string_view list) { return parse_wants(list, kSegmentForms); }

bool wants_random_segments(const WantList& wants) { return needs_seed(wants, kSegmentForms); }

std::string segment_wants_help() { return wants_help(kSegmentForms, kSequenceFields); }

bool is_bulky_segments(const SegmentQuestions& questions) { return is_bulky(questions.wants, kSegmentForms); }

LineAnswer answer_segment_line(std::string_view line, std::size_t index, const SegmentQuestions& questions) {
  return guarded([&] {
    const SegmentLine read = read_segments(line, questions.unknown);
    return answer_sequence(read.id, read.scores.positions(), [&] { return answer(read, index, questions); });
  });
}

}  // namespace kirchhoff::cli
