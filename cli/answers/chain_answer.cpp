// What can be asked about a chain: a table of wants, each with the library call that answers it.
#include "answers/chain_answer.hpp"

#include "json/chain_line.hpp"

#include <kirchhoff/chain_expectation.hpp>
#include <kirchhoff/chain_paths.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace kirchhoff::cli {
namespace {

/// A chain's distribution and, as far as they are given, what the other fields of its line hold.
struct ChainSubject {
  ChainDistribution p;
  std::optional<ChainDistribution> q;
  Tags gold;
  std::vector<ChainArrays> features;
  std::uint64_t seed = 0;
};
using X = const ChainSubject&;
using A = const Ask&;
using Out = JsonWriter&;

/// Writes numbers for tags, and a matrix for each pair of neighbouring positions.
void write_tables(const ChainArrays& tables, Out out) {
  out.object([&] {
    out.key("emissions");
    out.write(tables.emissions);
    out.key("transitions");
    out.list(tables.length() - 1, [&](int t) {
      out.write(Matrix(tables.transitions.middleRows(static_cast<Eigen::Index>(t) * tables.tags(), tables.tags())));
    });
  });
}

void write_pair(const ChainPairGradient& gradient, Out out) {
  out.object([&] {
    out.key("p");
    write_tables(gradient.p, out);
    out.key("q");
    write_tables(gradient.q, out);
  });
}

void write_fields(const TagSequence& sequence, Out out) {
  out.key("tags");
  out.list(sequence.tags.size(), [&](std::size_t t) { out.write(sequence.tags[t]); });
  out.key("score");
  out.write(sequence.score);
  out.key("log_prob");
  out.write(sequence.log_prob);
}
void write_sequence(const TagSequence& sequence, Out out) {
  out.object([&] { write_fields(sequence, out); });
}
void write_sequences(const std::vector<TagSequence>& sequences, Out out) {
  out.list(sequences.size(), [&](std::size_t i) { write_sequence(sequences[i], out); });
}

void write_distinct(X x, A ask, Out out) {
  const PerturbedTags sample = sample_without_replacement(x.p, static_cast<int>(ask.number), x.seed);
  out.object([&] {
    out.key("sequences");
    out.list(sample.sequences.size(), [&](std::size_t i) {
      out.object([&] {
        write_fields(sample.sequences[i], out);
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

constexpr std::array kChainWants = {
    Want<ChainSubject>{{"log_partition", "log of the sum over sequences of exp(score)"},
                       [](X x, A, Out out) { out.write(x.p.log_partition()); }},
    Want<ChainSubject>{{"log_prob", "log-probability of the gold tags", gold_field},
                       [](X x, A, Out out) { out.write(x.p.log_prob(x.gold)); }},
    Want<ChainSubject>{{"marginals", "probability of every tag, and of every pair of neighbours"},
                       [](X x, A, Out out) { write_tables(x.p.marginals(), out); }},
    Want<ChainSubject>{{"log_marginals", "their logarithms"},
                       [](X x, A, Out out) { write_tables(x.p.log_marginals(), out); }},
    Want<ChainSubject>{{"log_count", "log of the number of sequences"},
                       [](X x, A, Out out) { out.write(x.p.log_count()); }},
    Want<ChainSubject>{{"best", "the most probable sequence"},
                       [](X x, A, Out out) { write_sequence(best_tags(x.p), out); }},
    Want<ChainSubject>{{"mbr", "the sequence with the most tags expected to be right"},
                       [](X x, A, Out out) { write_sequence(mbr_tags(x.p), out); }},
    Want<ChainSubject>{
        {"k_best", "the K most probable sequences", no_field, "K", kMany, true},
        [](X x, A ask, Out out) { write_sequences(k_best_tags(x.p, static_cast<int>(ask.number)), out); }},
    Want<ChainSubject>{{kSamples, "K sequences drawn at random (--seed)", no_field, "K", kMany, true},
                       [](X x, A ask, Out out) {
                         write_sequences(sample_tag_sequences(x.p, static_cast<int>(ask.number), x.seed, 1), out);
                       }},
    Want<ChainSubject>{{kDistinct, "K of them without replacement", no_field, "K", kMany, true}, write_distinct},
    Want<ChainSubject>{{"entropy", "Shannon entropy in nats"}, [](X x, A, Out out) { out.write(entropy(x.p)); }},
    Want<ChainSubject>{{"entropy_gradient", "its gradient"},
                       [](X x, A, Out out) { write_tables(entropy_gradient(x.p), out); }},
    Want<ChainSubject>{{"renyi", "Renyi entropy of order ALPHA", no_field, "ALPHA", kAlpha},
                       [](X x, A ask, Out out) { out.write(renyi(x.p, ask.number)); }},
    Want<ChainSubject>{{"renyi_gradient", "its gradient", no_field, "ALPHA", kAlpha},
                       [](X x, A ask, Out out) { write_tables(renyi_gradient(x.p, ask.number), out); }},
    Want<ChainSubject>{{"cross_entropy", "-E[log q]", other_field},
                       [](X x, A, Out out) { out.write(cross_entropy(x.p, *x.q)); }},
    Want<ChainSubject>{{"kl", "KL(p || q)", other_field}, [](X x, A, Out out) { out.write(kl(x.p, *x.q)); }},
    Want<ChainSubject>{
        {"kl_gradient", "its gradients, {\"p\":..., \"q\":...}", other_field},
        [](X x, A, Out out) { std::isinf(kl(x.p, *x.q)) ? out.raw("null") : write_pair(kl_gradient(x.p, *x.q), out); }},
    Want<ChainSubject>{{"cross_entropy_gradient", "those of the cross-entropy", other_field},
                       [](X x, A, Out out) {
                         std::isinf(kl(x.p, *x.q)) ? out.raw("null")
                                                   : write_pair(cross_entropy_gradient(x.p, *x.q), out);
                       }},
    Want<ChainSubject>{{"expectation", "E[f]", features_field},
                       [](X x, A, Out out) { out.write(expectation(x.p, x.features)); }},
    Want<ChainSubject>{{"second_order", "E[f f^T]", features_field},
                       [](X x, A, Out out) { out.write(second_order(x.p, x.features, x.features)); }},
    Want<ChainSubject>{{"covariance", "Cov(f, f)", features_field},
                       [](X x, A, Out out) { out.write(covariance(x.p, x.features, x.features)); }},
    Want<ChainSubject>{
        {"cumulants", "first M cumulants of each feature: mean, variance, ...", features_field, "M", kMaxOrder},
        write_cumulants},
};
constexpr auto kChainForms = forms_of(kChainWants);

/// The distribution given that the line's constraints hold.
ChainDistribution distribution_of(const ChainLine& line, Method method) {
  ChainArrays scores = line.scores;
  for (const auto& [position, tag] : line.require) {
    for (int other = 0; other < scores.tags(); ++other) {
      if (other != tag) scores.emission(position, other) = -HUGE_VAL;
    }
  }
  for (const auto& [position, tag] : line.forbid) scores.emission(position, tag) = -HUGE_VAL;
  return ChainDistribution(scores, method);
}

ChainSubject subject_of(const ChainLine& line, std::uint64_t seed, Method method) {
  ChainSubject x{in_field<InputError>("emissions", [&] { return distribution_of(line, method); }), {}, {}, {}, seed};
  if (line.gold) x.gold = *line.gold;
  if (line.features) x.features = *line.features;
  if (!line.other) return x;
  try {
    x.q = in_field<InputError>("other", [&] { return ChainDistribution(*line.other, method); });
  } catch (const Infeasible& e) {
    throw Infeasible(fmt::format("other: {}", without_function(e.what())));
  }
  return x;
}

std::string answer(const ChainLine& line, std::size_t index, const ChainQuestions& questions) {
  const std::vector<Ask> asks = asks_of(questions.wants, kChainForms, given_fields(line));
  check_needs(given_fields(line), asks, kChainForms);
  const ChainSubject x = subject_of(line, questions.seed + index, questions.method);
  JsonWriter out;
  write_id_and_length(line.id, line.scores.length(), out);
  out.key("method");
  out.raw(json_string(to_string(x.p.report().method)));
  write_answers(kChainWants, x, asks, out);
  out.close();
  return out.take();
}

}  // namespace

WantList parse_chain_wants(std::string_view list) { return parse_wants(list, kChainForms); }

bool wants_random_tags(const WantList& wants) { return needs_seed(wants, kChainForms); }

std::string chain_wants_help() { return wants_help(kChainForms, kSequenceFields); }

bool is_bulky(const ChainQuestions& questions) { return is_bulky(questions.wants, kChainForms); }

LineAnswer answer_chain_line(std::string_view line, std::size_t index, const ChainQuestions& questions) {
  return guarded([&] {
    const ChainLine chain = read_chain(line, questions.unknown);
    return answer_sequence(chain.id, chain.scores.length(), [&] { return answer(chain, index, questions); });
  });
}

}  // namespace kirchhoff::cli
