// Trees and labelled trees again, as the kernels for CUDA answer about them, on the executor that tests are for.
#pragma once

#include "cuda/ask.hpp"
#include "laws/families/trees.hpp"

#include <cmath>

namespace kirchhoff::laws {

/// A graph and the answers about it: the kernels have no object for both.
struct CudaAnswers {
  Weights weights;
  cuda::Answered answered;
  double log_partition() const { return answered.log_partition[0]; }
};

template <class D, Root kRoot>
class CudaTreeFamily : public TreeFamily<D, kRoot> {
 public:
  using Distribution = CudaAnswers;
  using TreeFamily<D, kRoot>::TreeFamily;

  /// Up to 1e9 is taken, but the entropy is a difference of numbers of the scores' size on devices.
  static constexpr double kLargest = 1e4;

  CudaAnswers make(const Weights& weights) const { return answers(weights, {graph(weights)}); }
  Weights marginals(const CudaAnswers& p) const {
    const double* const m = p.answered.marginals[0].data();
    return {m, m + p.weights.size()};
  }
  double entropy(const CudaAnswers& p) const { return p.answered.entropy[0]; }
  /// The mean of the difference of the scores, less that of the logarithms of Z.
  double kl(const CudaAnswers& p, const CudaAnswers& q) const {
    cuda::Asked asked{{graph(p.weights)}, {graph(p.weights)}};
    for (std::size_t i = 0; i < p.weights.size(); ++i) {
      asked.directions[0].data()[i] = p.weights[i] == -HUGE_VAL ? 0.0 : p.weights[i] - q.weights[i];
    }
    return ask(asked, kRoot).expectation[0] - p.log_partition() + q.log_partition();
  }
  CudaAnswers require(const CudaAnswers& p, std::size_t place) const {
    Weights weights = p.weights;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i != place && this->arc(i).dependent == this->arc(place).dependent) weights[i] = -HUGE_VAL;
    }
    return make(weights);
  }
  CudaAnswers forbid(const CudaAnswers& p, std::size_t place) const {
    Weights weights = p.weights;
    weights[place] = -HUGE_VAL;
    return make(weights);
  }
  std::vector<double> log_partitions(const std::vector<Weights>& graphs) const {
    std::vector<LabelledMatrix> scores;
    for (const Weights& weights : graphs) scores.push_back(graph(weights));
    return answers(graphs[0], std::move(scores)).answered.log_partition;
  }

 private:
  LabelledMatrix graph(const Weights& weights) const {
    LabelledMatrix scores(this->words_, this->labels_);
    std::copy(weights.begin(), weights.end(), scores.data());
    return scores;
  }
  static CudaAnswers answers(const Weights& weights, std::vector<LabelledMatrix> graphs) {
    cuda::Asked asked{std::move(graphs)};
    asked.derivatives = false;
    CudaAnswers p{weights, ask(asked, kRoot)};
    if (p.answered.status[0] == cuda::GraphStatus::infeasible) throw Infeasible("no tree");
    return p;
  }
};

}  // namespace kirchhoff::laws
