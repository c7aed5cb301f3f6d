// Second-order expectations, E_2 of [ZmigrodW21, fig. 1], by solves instead of W*. Functions are centred, so that
// covariances come without E[rt] - E[r]E[t].
//
// With b_v = E[f from node v on], f'_t = f_t + b_j - b_i has mean 0 at every node, and sums to f - E[f] along any
// trajectory. What comes after an arc then has mean 0 and drops out of
//   Cov(f, count_t) = p_t (visits_i f'_t + F_i),   F_i = E[sum over visits to i of f' so far].
// A backward solve gives b and a forward solve F. Cov(r, t) takes both for each of the fewer features.
#include "base/buffer.hpp"
#include "base/check.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "numeric/simd/products.hpp"
#include "wfsm/expectation/count_cumulants.hpp"
#include "wfsm/wfsm_state.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace kirchhoff {
namespace wfsm {

CentredFunction centre(const MarkovChain& chain, const std::vector<double>& f) {
  const TrimGraph& g = chain.graph();
  const std::vector<double> b = expected_rest(chain, f);
  CentredFunction centred{std::vector<double>(g.arcs.size()), b[g.source()]};
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    centred.f[a] = f[g.arcs[a].place] + (b[g.arcs[a].to] - b[g.from[a]]);
  }
  return centred;
}

std::vector<double> count_covariance(const MarkovChain& chain, const std::vector<double>& f) {
  return count_covariances(chain, f);
}

}  // namespace wfsm

namespace {

using Entry = WfsmFeatures::Entry;

void check_features(const char* function, const Wfsm& machine, const WfsmFeatures& f) {
  if (f.places() == wfsm::machine_of(machine).places()) return;
  base::input_error(function, "features were made for a machine of another size");
}

/// Calls visit(feature, values of its places) for every feature that is not 0.
template <class Visit>
void for_each_feature(const WfsmFeatures& f, Visit visit) {
  std::vector<double> values(f.places(), 0.0);
  for (auto i = f.entries().begin(); i != f.entries().end();) {
    const int feature = i->feature;
    const auto end = std::find_if(i, f.entries().end(), [&](const Entry& e) { return e.feature != feature; });
    for (auto e = i; e != end; ++e) values[e->place] = e->value;
    visit(feature, values);
    for (; i != end; ++i) values[i->place] = 0.0;
  }
}

/// Rows of slopes, eight features at a time, times a matrix [place][feature of t].
class DenseProduct {
 public:
  explicit DenseProduct(const WfsmFeatures& t) : places_(t.places()), ld_(base::padded(t.size())) {
    std::fill_n(matrix_.take(places_ * ld_), places_ * ld_, 0.0);
    for (const Entry& e : t.entries()) matrix_.data()[e.place * ld_ + e.feature] = e.value;
    slopes_.take(places_ * numeric::kRowBlock);
    results_.take(numeric::kRowBlock * ld_);
  }
  void add(int feature, const std::vector<double>& slope, Matrix& covariance) {
    for (std::size_t k = 0; k < places_; ++k) slopes_.data()[k * numeric::kRowBlock + count_] = slope[k];
    features_[count_++] = feature;
    if (count_ == numeric::kRowBlock) finish(covariance);
  }
  void finish(Matrix& covariance) {
    double* rows[numeric::kRowBlock];
    for (std::size_t r = 0; r < count_; ++r) rows[r] = results_.data() + r * ld_;
    numeric::multiply_rows({slopes_.data(), count_, places_ * numeric::kRowBlock}, {matrix_.data(), places_, ld_, ld_},
                           nullptr, rows);
    for (std::size_t r = 0; r < count_; ++r) {
      covariance.row(features_[r]) = Eigen::Map<const Eigen::RowVectorXd>(rows[r], covariance.cols());
    }
    count_ = 0;
  }

 private:
  std::size_t places_, ld_, count_ = 0;
  base::Buffer matrix_, slopes_, results_;
  int features_[numeric::kRowBlock] = {};
};

/// Row f: the slope of E[r_f] times the values of t.
Matrix covariance_by_rows(const wfsm::MarkovChain& chain, const WfsmFeatures& r, const WfsmFeatures& t) {
  Matrix covariance = Matrix::Zero(r.size(), t.size());
  if (2 * t.entries().size() >= static_cast<std::size_t>(t.size()) * t.places() && t.size() > 1) {
    DenseProduct product(t);
    for_each_feature(r, [&](int feature, const std::vector<double>& values) {
      product.add(feature, wfsm::count_covariance(chain, values), covariance);
    });
    product.finish(covariance);
    return covariance;
  }
  for_each_feature(r, [&](int feature, const std::vector<double>& values) {
    const std::vector<double> slope = wfsm::count_covariance(chain, values);
    for (const Entry& e : t.entries()) covariance(feature, e.feature) += slope[e.place] * e.value;
  });
  return covariance;
}

}  // namespace

WfsmFeatures::WfsmFeatures(const Wfsm& machine, int num_features, const std::vector<WfsmFeature>& entries)
    : size_(num_features), places_(wfsm::machine_of(machine).places()) {
  const wfsm::Machine& m = wfsm::machine_of(machine);
  if (num_features < 0) base::input_error("WfsmFeatures", "a negative number of features");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const WfsmFeature& e = entries[i];
    const int most = e.part == WfsmPart::transition ? static_cast<int>(m.transitions.size()) : m.states;
    const std::string where = "entry " + std::to_string(i) + ": ";
    if (e.index < 0 || e.index >= most) {
      base::input_error("WfsmFeatures", where + std::to_string(e.index) + " is not in 0.." + std::to_string(most - 1));
    }
    if (e.feature < 0 || e.feature >= num_features) {
      base::input_error("WfsmFeatures", where + "feature " + std::to_string(e.feature) + " is not in 0.." +
                                            std::to_string(num_features - 1));
    }
    if (!(std::abs(e.value) <= 1e100)) base::input_error("WfsmFeatures", where + "value is not finite or beyond 1e100");
    const int place = e.part == WfsmPart::transition ? e.index
                      : e.part == WfsmPart::start    ? m.start_place(e.index)
                                                     : m.final_place(e.index);
    entries_.push_back({place, e.feature, e.value});
  }
  const auto key = [](const Entry& e) { return std::tie(e.feature, e.place); };
  std::stable_sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  std::size_t out = 0;
  for (const Entry& e : entries_) {
    const bool same = out > 0 && key(entries_[out - 1]) == key(e);
    same ? void(entries_[out - 1].value += e.value) : void(entries_[out++] = e);
  }
  entries_.resize(out);
}

Vector expectation(const Wfsm& machine, const WfsmFeatures& r) {
  check_features("expectation", machine, r);
  const wfsm::MarkovChain& chain = wfsm::chain_of(machine);
  const wfsm::TrimGraph& g = chain.graph();
  std::vector<double> counts(r.places(), 0.0);
  for (std::size_t a = 0; a < g.arcs.size(); ++a) counts[g.arcs[a].place] = chain.visits()[g.from[a]] * chain.p()[a];
  Vector sum = Vector::Zero(r.size());
  for (const Entry& e : r.entries()) sum(e.feature) += counts[e.place] * e.value;
  return sum;
}

Matrix covariance(const Wfsm& machine, const WfsmFeatures& r, const WfsmFeatures& t) {
  check_features("covariance", machine, r);
  check_features("covariance", machine, t);
  const wfsm::MarkovChain& chain = wfsm::chain_of(machine);
  if (r.size() <= t.size()) return covariance_by_rows(chain, r, t);
  return covariance_by_rows(chain, t, r).transpose();
}

Matrix second_order(const Wfsm& machine, const WfsmFeatures& r, const WfsmFeatures& t) {
  const Vector mean = expectation(machine, r);
  return covariance(machine, r, t) + mean * (&r == &t ? mean : expectation(machine, t)).transpose();
}

WfsmWeights counts_along(const Wfsm& machine, const WfsmWeights& direction) {
  const std::vector<double> f = wfsm::flatten("counts_along", machine, direction);
  return wfsm::unflatten(wfsm::machine_of(machine), wfsm::count_covariance(wfsm::chain_of(machine), f));
}

Matrix fisher(const Wfsm& machine, const WfsmFeatures& r) { return covariance(machine, r, r); }

}  // namespace kirchhoff
