// Information, objectives and moments of projective trees, with and without labels: the formulas of expectation/ for
// distributions that know marginals and their derivatives along a direction.
#include "expectation/information.hpp"

#include "expectation/batch.hpp"
#include "expectation/labelled_covariance_gradient.hpp"
#include "expectation/objectives.hpp"
#include "expectation/pairs_of_batches.hpp"
#include "projective/reading.hpp"

namespace kirchhoff {
namespace {

double at(const Matrix& array, const FeatureEntry& e) { return array(e.head, e.dependent); }
double& at(Matrix& array, const FeatureEntry& e) { return array(e.head, e.dependent); }
double at(const LabelledMatrix& array, const FeatureEntry& e) { return array(e.head, e.dependent, e.label); }
double& at(LabelledMatrix& array, const FeatureEntry& e) { return array(e.head, e.dependent, e.label); }

}  // namespace

template <class D>
Vector expectation(const D& p, const Features& r) {
  expectations::check_features("expectation", p, r);
  const Array<D> marginals = p.marginals();
  Vector sum = Vector::Zero(r.size());
  for (const FeatureEntry& e : r.entries()) sum(e.feature) += at(marginals, e) * e.value;
  return sum;
}

// Row f is the derivative of E[s] along r_f.
template <class D>
Matrix covariance(const D& p, const Features& r, const Features& s) {
  expectations::check_features("covariance", p, r);
  expectations::check_features("covariance", p, s);
  if (r.size() > s.size()) return covariance(p, s, r).transpose();
  std::vector<Array<D>> directions(r.size(), expectations::empty_array(p));
  for (const FeatureEntry& e : r.entries()) at(directions[e.feature], e) += e.value;
  Matrix result = Matrix::Zero(r.size(), s.size());
  for (int f = 0; f < r.size(); ++f) {
    const Array<D> slope = expectations::expectation_gradient(p, directions[f]);
    for (const FeatureEntry& e : s.entries()) result(f, e.feature) += at(slope, e) * e.value;
  }
  return result;
}

template <class D>
Matrix second_order(const D& p, const Features& r, const Features& s) {
  return covariance(p, r, s) + expectation(p, r) * expectation(p, s).transpose();
}

template <>
Matrix covariance_gradient(const ProjectiveTreeDistribution& p, const Matrix& r, const Matrix& s) {
  for (const Matrix* values : {&r, &s}) {
    base::check_shape("covariance_gradient", values == &r ? "r" : "s", *values, p.words());
    base::check_finite("covariance_gradient", values == &r ? "r" : "s", *values);
  }
  return projective::along(ProjectiveAccess::state(p), r, s);
}
template <>
LabelledMatrix covariance_gradient(const LabelledProjectiveTreeDistribution& p, const LabelledMatrix& r,
                                   const LabelledMatrix& s) {
  return expectations::labelled_covariance_gradient(p, r, s);
}

#define KIRCHHOFF_INSTANTIATE_ALL(D)                                                         \
  KIRCHHOFF_INSTANTIATE_INFORMATION(D);                                                      \
  KIRCHHOFF_INSTANTIATE_OBJECTIVES(D);                                                       \
  KIRCHHOFF_INSTANTIATE_PAIRS(D);                                                            \
  template std::vector<double> entropies(const BatchOf<D>&, std::span<double>, const Stop&); \
  template Vector expectation(const D&, const Features&);                                    \
  template Matrix covariance(const D&, const Features&, const Features&);                    \
  template Matrix second_order(const D&, const Features&, const Features&)
KIRCHHOFF_INSTANTIATE_ALL(ProjectiveTreeDistribution);
KIRCHHOFF_INSTANTIATE_ALL(LabelledProjectiveTreeDistribution);
#undef KIRCHHOFF_INSTANTIATE_ALL

}  // namespace kirchhoff
