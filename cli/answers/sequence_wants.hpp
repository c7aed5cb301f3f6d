// What can be asked about tag sequences and about segmentations: a table of wants, each with the library call that
// answers it. A Family says what the types and the names of the library are called for one of them.
#pragma once

#include "answers/sequence_answers.hpp"
#include "json/read_error.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace kirchhoff::cli {

/// The fields of a line that wants need, in the order of kSequenceFields.
enum SequenceField : unsigned { no_field = 0, gold_field = 1, other_field = 2, features_field = 4 };

inline constexpr ArgumentRule kAlpha{
    ArgumentRule::Kind::number, 0.0, std::numeric_limits<double>::infinity(), true, -1.0, "a number >= 0"};
inline constexpr ArgumentRule kMany{ArgumentRule::Kind::whole_number,  0, 1e6, true, -1,
                                    "a whole number from 0 to 1000000"};
inline constexpr std::string_view kSamples = "samples", kDistinct = "distinct";

/// Throws ReadError when a want needs a field that is not given.
void check_needs(unsigned given, const std::vector<Ask>& asks, std::span<const WantForm> forms);

void write_id_and_length(const std::string& id, int length, JsonWriter& out);

template <class Family>
class SequenceWants {
  using Distribution = typename Family::Distribution;
  using Arrays = typename Family::Arrays;
  using Found = typename Family::Found;
  using Line = typename Family::Line;

  /// A distribution and, as far as they are given, what the other fields of its line hold.
  struct Subject {
    Distribution p;
    std::optional<Distribution> q;
    typename Family::Gold gold;
    std::vector<Arrays> features;
    std::uint64_t seed = 0;
  };
  using X = const Subject&;
  using A = const Ask&;
  using Out = JsonWriter&;
  using W = Want<Subject>;

  static void write_fields(const Found& found, Out out) {
    Family::write_labels(found, out);
    out.key("score");
    out.write(found.score);
    out.key("log_prob");
    out.write(found.log_prob);
  }
  static void write_one(const Found& found, Out out) {
    out.object([&] { write_fields(found, out); });
  }
  static void write_several(const std::vector<Found>& found, Out out) {
    out.list(found.size(), [&](std::size_t i) { write_one(found[i], out); });
  }
  static void write_distinct(X x, A ask, Out out) {
    const auto sample = sample_without_replacement(x.p, static_cast<int>(ask.number), x.seed);
    const std::vector<Found>& found = Family::found_in(sample);
    out.object([&] {
      out.key(Family::kPlural);
      out.list(found.size(), [&](std::size_t i) {
        out.object([&] {
          write_fields(found[i], out);
          out.key("perturbed");
          out.write(sample.perturbed[i]);
        });
      });
      out.key("threshold");
      out.write(sample.threshold);
    });
  }
  /// Nothing where the divergence is infinite, which has no gradient.
  template <class Gradient>
  static void write_pair(X x, Out out, Gradient gradient) {
    if (std::isinf(kl(x.p, *x.q))) return out.raw("null");
    const auto tables = gradient(x.p, *x.q);
    out.object([&] {
      out.key("p");
      Family::write_tables(tables.p, out);
      out.key("q");
      Family::write_tables(tables.q, out);
    });
  }
  static void write_cumulants(X x, A ask, Out out) {
    const int order = static_cast<int>(ask.number);
    out.list(x.features.size(),
             [&](std::size_t i) { out.write(Vector(cumulants(x.p, x.features[i], order).tail(order))); });
  }

  static constexpr std::array kProbabilities = {
      W{{"log_partition", "log of the sum over all of exp(score)"},
        [](X x, A, Out out) { out.write(x.p.log_partition()); }},
      W{{"log_prob", "log-probability of the gold one", gold_field},
        [](X x, A, Out out) { out.write(x.p.log_prob(x.gold)); }},
  };
  static constexpr std::array kOther = {
      W{{"log_count", "log of how many there are"}, [](X x, A, Out out) { out.write(x.p.log_count()); }},
      W{{"best", "the most probable one"}, [](X x, A, Out out) { write_one(Family::best(x.p), out); }},
      W{{"mbr", Family::kMbr}, [](X x, A, Out out) { write_one(Family::mbr(x.p), out); }},
      W{{"k_best", "the K most probable ones", no_field, "K", kMany, true},
        [](X x, A ask, Out out) { write_several(Family::k_best(x.p, static_cast<int>(ask.number)), out); }},
      W{{kSamples, "K drawn at random (--seed)", no_field, "K", kMany, true},
        [](X x, A ask, Out out) { write_several(Family::samples(x.p, static_cast<int>(ask.number), x.seed), out); }},
      W{{kDistinct, "K of them without replacement", no_field, "K", kMany, true}, write_distinct},
      W{{"entropy", "Shannon entropy in nats"}, [](X x, A, Out out) { out.write(entropy(x.p)); }},
      W{{"entropy_gradient", "its gradient"},
        [](X x, A, Out out) { Family::write_tables(entropy_gradient(x.p), out); }},
      W{{"renyi", "Renyi entropy of order ALPHA", no_field, "ALPHA", kAlpha},
        [](X x, A ask, Out out) { out.write(renyi(x.p, ask.number)); }},
      W{{"renyi_gradient", "its gradient", no_field, "ALPHA", kAlpha},
        [](X x, A ask, Out out) { Family::write_tables(renyi_gradient(x.p, ask.number), out); }},
      W{{"cross_entropy", "-E[log q]", other_field}, [](X x, A, Out out) { out.write(cross_entropy(x.p, *x.q)); }},
      W{{"kl", "KL(p || q)", other_field}, [](X x, A, Out out) { out.write(kl(x.p, *x.q)); }},
      W{{"kl_gradient", "its gradients, {\"p\":..., \"q\":...}", other_field},
        [](X x, A, Out out) { write_pair(x, out, [](const auto& p, const auto& q) { return kl_gradient(p, q); }); }},
      W{{"cross_entropy_gradient", "those of the cross-entropy", other_field},
        [](X x, A, Out out) {
          write_pair(x, out, [](const auto& p, const auto& q) { return cross_entropy_gradient(p, q); });
        }},
      W{{"expectation", "E[f]", features_field}, [](X x, A, Out out) { out.write(expectation(x.p, x.features)); }},
      W{{"second_order", "E[f f^T]", features_field},
        [](X x, A, Out out) { out.write(second_order(x.p, x.features, x.features)); }},
      W{{"covariance", "Cov(f, f)", features_field},
        [](X x, A, Out out) { out.write(covariance(x.p, x.features, x.features)); }},
      W{{"cumulants", "first M cumulants of each feature: mean, variance, ...", features_field, "M", kMaxOrder},
        write_cumulants},
  };
  static constexpr auto kWants = joined(kProbabilities, Family::template kMarginals<Subject>, kOther);
  static constexpr auto kForms = forms_of(kWants);

  static unsigned given_fields(const Line& line) {
    return (line.gold ? gold_field : 0U) | (line.other ? other_field : 0U) | (line.features ? features_field : 0U);
  }

  static Subject subject_of(const Line& line, std::uint64_t seed, Method method) {
    Subject x{
        in_field<InputError>(Family::kScores, [&] { return Family::constrained(line, method); }), {}, {}, {}, seed};
    if (line.gold) x.gold = *line.gold;
    if (line.features) x.features = *line.features;
    if (!line.other) return x;
    try {
      x.q = in_field<InputError>("other", [&] { return Family::distribution(*line.other, method); });
    } catch (const Infeasible& e) {
      throw Infeasible(fmt::format("other: {}", without_function(e.what())));
    }
    return x;
  }

  static std::string answers(const Line& line, std::size_t index, const SequenceQuestions& questions) {
    const std::vector<Ask> asks = asks_of(questions.wants, kForms, given_fields(line));
    check_needs(given_fields(line), asks, kForms);
    const Subject x = subject_of(line, questions.seed + index, questions.method);
    JsonWriter out;
    write_id_and_length(line.id, Family::length(line.scores), out);
    out.key("method");
    out.write(to_string(Family::method(x.p)));
    write_answers(kWants, x, asks, out);
    out.close();
    return out.take();
  }

  /// A line that has no structure, or about which the library cannot tell, is answered with that.
  static LineAnswer answer(const Line& line, std::size_t index, const SequenceQuestions& questions) {
    const auto error = [&](LineAnswer::Status status, const std::string& message) {
      JsonWriter out;
      write_id_and_length(line.id, Family::length(line.scores), out);
      out.key("error");
      out.write(message);
      out.close();
      return LineAnswer{status, out.take(), message};
    };
    try {
      return {LineAnswer::Status::good, answers(line, index, questions), {}};
    } catch (const Infeasible& e) {
      return error(LineAnswer::Status::infeasible, "infeasible: " + without_function(e.what()));
    } catch (const InputError& e) {
      return error(LineAnswer::Status::unanswered, without_function(e.what()));
    }
  }

 public:
  static constexpr SequenceAnswers kAnswers{
      kForms, [](std::string_view line, std::size_t index, const SequenceQuestions& questions) {
        return guarded([&] { return answer(Family::read(line, questions.unknown), index, questions); });
      }};
};

}  // namespace kirchhoff::cli
