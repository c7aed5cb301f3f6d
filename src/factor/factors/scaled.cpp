// Factors with scores multiplied by a number: for tempered distributions, and for factors that count more than once.
#include "factor/factors/scaled.hpp"

#include "factor/factors/factors.hpp"
#include "factor/factors/parts.hpp"

#include <utility>

namespace kirchhoff::factor {
namespace {

class ScaledFactor final : public Factor {
 public:
  ScaledFactor(std::shared_ptr<const Factor> factor, double by)
      : Factor(factor->arity()), factor_(std::move(factor)), by_(by) {}
  std::string_view name() const override { return factor_->name(); }
  double score(Configuration y) const override { return by_ * factor_->score(y); }
  double least_score() const override { return by_ * factor_->least_score(); }
  bool soft() const override { return factor_->soft(); }
  OneHot one_hot() const override { return factor_->one_hot(); }

 private:
  std::shared_ptr<const Factor> factor_;
  double by_;
};

std::vector<double> multiplied(std::vector<double> scores, double by) {
  for (double& s : scores) s *= by;
  return scores;
}

}  // namespace

std::shared_ptr<const Factor> scaled(const std::shared_ptr<const Factor>& factor, double by) {
  if (by == 1.0 || dynamic_cast<const HardFactor*>(factor.get()) != nullptr) return factor;
  if (const auto* pair = dynamic_cast<const PairFactor*>(factor.get())) {
    return std::make_shared<PairFactor>(by * pair->pair_score());
  }
  if (const auto* table = dynamic_cast<const TableFactor*>(factor.get())) {
    return std::make_shared<TableFactor>(table->slots(), multiplied(table->log_potentials(), by));
  }
  if (const auto* parts = dynamic_cast<const PartsFactor*>(factor.get())) {
    return parts->with_own_scores(multiplied(parts->own_scores(), by));
  }
  if (factor->arity() > Factor::kEnumerable) return {};
  return std::make_shared<ScaledFactor>(factor, by);
}

}  // namespace kirchhoff::factor
