// Puts graphs where the executor under test can read them, asks, and brings the answers back.
#include "cuda/ask.hpp"

#include "cuda/executor.hpp"
#include "cuda/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff::cuda {
namespace {

template <class Real>
std::vector<LabelledMatrix> unpacked(const Asked& asked, const Places& places, std::vector<Real> numbers) {
  std::vector<LabelledMatrix> graphs;
  for (const LabelledMatrix& scores : asked.scores) graphs.emplace_back(scores.words(), scores.labels());
  for_each_number(asked, places, [&](std::size_t graph, int head, int dependent, int label) {
    Real& number = numbers[places.at(graph, head, dependent, label)];
    if (inside(graphs[graph], head, dependent)) {
      graphs[graph](head, dependent, label) = number;
    } else {
      EXPECT_EQ(number, 0) << "graph " << graph << " has no " << head << "->" << dependent;
    }
    number = static_cast<Real>(kUnwritten);
  });
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), static_cast<Real>(kUnwritten)),
            static_cast<std::ptrdiff_t>(numbers.size()))
      << "numbers between graphs were written";
  return graphs;
}

/// The arrays of a batch, where the executor under test has them.
template <class Real>
class Arrays {
 public:
  explicit Arrays(const Asked& asked)
      : asked_(asked),
        places_(places_of(asked)),
        lengths_(words_of(asked)),
        offsets_(places_.offsets),
        scores_(packed<Real>(asked, places_, asked.scores)),
        directions_(asked.directions.empty() ? std::vector<Real>() : packed<Real>(asked, places_, asked.directions)),
        marginals_(std::vector<Real>(places_.size(), static_cast<Real>(kUnwritten))),
        derivatives_(marginals_.fetch()),
        log_partition_(std::vector<double>(asked.scores.size(), kUnwritten)),
        entropy_(log_partition_.fetch()),
        expectation_(log_partition_.fetch()),
        status_(std::vector<GraphStatus>(asked.scores.size())) {}

  BatchQuestion question(Root root) {
    BatchQuestion question{.root = root, .graphs = static_cast<std::int64_t>(asked_.scores.size())};
    question.words = *std::max_element(lengths_.fetch().begin(), lengths_.fetch().end());
    question.labels = asked_.scores[0].labels();
    question.lengths = lengths_.get();
    if (places_.ragged) question.offsets = offsets_.get();
    question.scores = array(scores_);
    if (!asked_.directions.empty()) question.direction = array(directions_);
    question.accuracy = asked_.accuracy;
    question.score_share = asked_.score_share;
    question.log_partition = log_partition_.get();
    question.entropy = entropy_.get();
    question.expectation = expectation_.get();
    question.marginals = array(marginals_);
    if (asked_.derivatives) question.derivatives = array(derivatives_);
    question.status = status_.get();
    return question;
  }
  Answered answers() {
    return {log_partition_.fetch(),
            entropy_.fetch(),
            expectation_.fetch(),
            status_.fetch(),
            unpacked(asked_, places_, marginals_.fetch()),
            asked_.derivatives ? unpacked(asked_, places_, derivatives_.fetch()) : std::vector<LabelledMatrix>()};
  }

 private:
  ArcArray array(TestArray<Real>& values) const {
    ArcArray arcs = places_.strides;
    arcs.values = values.get();
    return arcs;
  }

  const Asked& asked_;
  const Places places_;
  TestArray<std::int32_t> lengths_;
  TestArray<std::int64_t> offsets_;
  TestArray<Real> scores_, directions_, marginals_, derivatives_;
  TestArray<double> log_partition_, entropy_, expectation_;
  TestArray<GraphStatus> status_;
};

template <class Real>
Answered ask_with(const Asked& asked, Root root) {
  Arrays<Real> arrays(asked);
  answer(arrays.question(root), {.executor = test_executor()});
  return arrays.answers();
}

}  // namespace

Answered ask(const Asked& asked, Root root) {
  return asked.single_precision ? ask_with<float>(asked, root) : ask_with<double>(asked, root);
}

bool is_answered(GraphStatus status) { return status <= GraphStatus::extended; }

LabelledMatrix labelled(const Matrix& scores) {
  LabelledMatrix result(static_cast<int>(scores.rows()) - 1, 1);
  std::copy_n(scores.data(), scores.size(), result.data());
  return result;
}

std::vector<LabelledMatrix> labelled(const std::vector<Matrix>& scores) {
  std::vector<LabelledMatrix> result;
  for (const Matrix& one : scores) result.push_back(labelled(one));
  return result;
}

Matrix unlabelled(const LabelledMatrix& scores) {
  return MatrixView(scores.data(), scores.words() + 1, scores.words() + 1);
}

oracle::ArcArray direction_of(const Asked& asked, std::size_t graph) {
  const oracle::ArcArray scores(asked.scores[graph]);
  oracle::ArcArray r(scores.words(), scores.labels());
  for (std::size_t arc = 0; arc < r.size(); ++arc) {
    if (!std::isfinite(scores[arc])) continue;
    if (!asked.directions.empty()) r[arc] = asked.directions[graph].data()[arc];
    r[arc] += asked.score_share * scores[arc];
  }
  return r;
}

}  // namespace kirchhoff::cuda
