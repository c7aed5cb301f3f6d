// PAIR factors, a vector of them at a time. With both(u) the best weight on 11 of a mixture with mean u: min(u_a, u_b)
// for score >= 0, max(0, u_a + u_b - 1) for score < 0 [Martins10, eq. 12]. The projection is that of pair_point.hpp
// without branches. O(pairs); what goes to the variables is added one by one, since a vector may have one twice.
#include "factor/kernels/pair_factors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor/kernels/pair_factors.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::factor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;

constexpr double kRounding = 1e-12;  // what a pair may seem to lose where it loses nothing, relative to its score

HWY_INLINE V at(D d, const double* values, const std::int32_t* index) {
  const hn::Rebind<std::int32_t, D> narrow;
  const hn::RebindToSigned<D> wide;
  return hn::GatherIndex(d, values, hn::PromoteTo(wide, hn::LoadU(narrow, index)));
}

HWY_INLINE V clamp(D d, V x) { return hn::Min(hn::Max(x, hn::Zero(d)), hn::Set(d, 1.0)); }

/// For score >= 0: u_a, or u_b with a and b exchanged.
HWY_INLINE V half_point(D d, V a, V b, V size, V mean) {
  return clamp(d, hn::IfThenElse(hn::Gt(a, hn::Add(b, size)), a, hn::Min(mean, hn::Add(a, size))));
}

HWY_INLINE V both(D d, V score, V a, V b) {
  const V least = hn::Max(hn::Zero(d), hn::Sub(hn::Add(a, b), hn::Set(d, 1.0)));
  return hn::IfThenElse(hn::Lt(score, hn::Zero(d)), least, hn::Min(a, b));
}

void Project(const PairArrays& pairs, const double* p, double penalty, double* sums) {
  const auto [size, awake, a, b, score, q_a, q_b, u_a, u_b, sum_a, sum_b] = pairs;
  const D d;
  const V weight = hn::Set(d, 1.0 / penalty), one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
  for (std::size_t k = 0; k < awake; k += hn::Lanes(d)) {
    const V c = hn::Mul(hn::LoadU(d, score + k), weight);
    const V t_a = hn::MulAdd(hn::LoadU(d, q_a + k), weight, at(d, p, a + k));
    const V t_b = hn::MulAdd(hn::LoadU(d, q_b + k), weight, at(d, p, b + k));
    // A negative score is a positive one for a and not b.
    const auto negate = hn::Lt(c, hn::Zero(d));
    const V length = hn::Abs(c);
    const V x = hn::IfThenElse(negate, hn::Sub(t_a, length), t_a);
    const V y = hn::IfThenElse(negate, hn::Sub(one, t_b), t_b);
    const V mean = hn::Mul(hn::Add(hn::Add(x, y), length), half);
    const V u = half_point(d, x, y, length, mean), v = half_point(d, y, x, length, mean);
    hn::StoreU(u, d, u_a + k);
    hn::StoreU(hn::IfThenElse(negate, hn::Sub(one, v), v), d, u_b + k);
    for (std::size_t i = k; i < k + hn::Lanes(d); ++i) {
      sums[a[i]] += u_a[i];
      sums[b[i]] += u_b[i];
    }
  }
}

PairFactors::Step Update(const PairArrays& pairs, const double* p, double penalty) {
  const D d;
  const V rate = hn::Set(d, penalty);
  V squares = hn::Zero(d), work = hn::Zero(d);
  const auto half = [&](const std::int32_t* index, const double* u, double* q, double* sum) HWY_ATTR {
    const V apart = hn::Sub(hn::LoadU(d, u), at(d, p, index));
    const V next = hn::NegMulAdd(rate, apart, hn::LoadU(d, q));
    hn::StoreU(next, d, q);
    hn::StoreU(hn::Add(hn::LoadU(d, sum), next), d, sum);
    squares = hn::MulAdd(apart, apart, squares);
    work = hn::MulAdd(next, apart, work);
  };
  for (std::size_t k = 0; k < pairs.awake; k += hn::Lanes(d)) {
    half(pairs.a + k, pairs.u_a + k, pairs.q_a + k, pairs.sum_a + k);
    half(pairs.b + k, pairs.u_b + k, pairs.q_b + k, pairs.sum_b + k);
  }
  return {hn::GetLane(hn::SumOfLanes(d, squares)), hn::GetLane(hn::SumOfLanes(d, work))};
}

double Bound(const PairArrays& pairs, double* moved) {
  const D d;
  const V zero = hn::Zero(d);
  HWY_ALIGN double from_a[8], from_b[8];
  V sum = zero;
  for (std::size_t k = 0; k < pairs.size; k += hn::Lanes(d)) {
    const V s = hn::LoadU(d, pairs.score + k), y = hn::LoadU(d, pairs.q_b + k);
    // The best value with a = 1 less that with a = 0 is q_a - x.
    const V x = hn::Sub(hn::Max(zero, y), hn::Max(zero, hn::Add(y, s)));
    hn::Store(hn::Sub(hn::LoadU(d, pairs.q_a + k), x), d, from_a);
    const V z = hn::Sub(hn::Max(zero, x), hn::Max(zero, hn::Add(x, s)));
    hn::Store(hn::Sub(y, z), d, from_b);
    sum = hn::Add(sum, hn::Max(zero, x));  // the value at b = 0, which is as good as b = 1
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      moved[pairs.a[k + i]] += from_a[i];
      moved[pairs.b[k + i]] += from_b[i];
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

/// Sum of score both(z) over the pairs from `begin` on.
double ValueAt(const PairArrays& pairs, std::size_t begin, const double* z) {
  const D d;
  V sum = hn::Zero(d);
  for (std::size_t k = begin; k < pairs.size; k += hn::Lanes(d)) {
    const V s = hn::LoadU(d, pairs.score + k);
    sum = hn::MulAdd(s, both(d, s, at(d, z, pairs.a + k), at(d, z, pairs.b + k)), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

/// The first pair from `begin` on that loses something at p: u = p is not among the best for its q.
std::size_t FirstToWake(const PairArrays& pairs, const double* p, std::size_t begin) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V rounding = hn::Set(d, kRounding);
  auto before = hn::FirstN(d, begin % lanes);  // lanes of the first vector that are not asked for
  for (std::size_t k = begin / lanes * lanes; k < pairs.size; k += lanes) {
    const V s = hn::LoadU(d, pairs.score + k), q_a = hn::LoadU(d, pairs.q_a + k), q_b = hn::LoadU(d, pairs.q_b + k);
    const V a = at(d, p, pairs.a + k), b = at(d, p, pairs.b + k);
    const V best = hn::Max(hn::Max(hn::Zero(d), hn::Add(hn::Add(q_a, q_b), s)), hn::Max(q_a, q_b));
    const V here = hn::MulAdd(q_a, a, hn::MulAdd(q_b, b, hn::Mul(s, both(d, s, a, b))));
    const auto agrees = hn::Le(hn::Sub(best, here), hn::Mul(rounding, hn::Abs(s)));
    const auto first = hn::FindFirstTrue(d, hn::Not(hn::Or(before, agrees)));
    if (first >= 0) return k + static_cast<std::size_t>(first);
    before = hn::FirstN(d, 0);
  }
  return pairs.size;
}

double MixtureScore(const PairArrays& pairs, const double* p) {
  const D d;
  V sum = hn::Zero(d);
  for (std::size_t k = 0; k < pairs.awake; k += hn::Lanes(d)) {
    const V s = hn::LoadU(d, pairs.score + k);
    sum = hn::MulAdd(s, both(d, s, hn::LoadU(d, pairs.u_a + k), hn::LoadU(d, pairs.u_b + k)), sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum)) + ValueAt(pairs, pairs.awake, p);
}

}  // namespace kirchhoff::factor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::factor {

HWY_EXPORT(Project);
HWY_EXPORT(Update);
HWY_EXPORT(Bound);
HWY_EXPORT(MixtureScore);
HWY_EXPORT(ValueAt);
HWY_EXPORT(FirstToWake);

void PairFactors::add(int a, int b, double score) {
  a_.push_back(a);
  b_.push_back(b);
  score_.push_back(score);
  number_.push_back(static_cast<std::int32_t>(size_));
  ++size_;
}

void PairFactors::finish() {
  while (score_.size() % kPairsAtOnce != 0) {
    a_.push_back(none_);
    b_.push_back(none_);
    score_.push_back(0.0);
    number_.push_back(-1);
  }
  for (std::vector<double>* values : {&q_a_, &q_b_, &u_a_, &u_b_, &sum_a_, &sum_b_, &mean_a_, &mean_b_}) {
    values->assign(score_.size(), 0.0);
  }
  wake_all();
}

void PairFactors::start_mean() {
  updates_ = 0.0;
  std::fill(sum_a_.begin(), sum_a_.end(), 0.0);
  std::fill(sum_b_.begin(), sum_b_.end(), 0.0);
}

PairArrays PairFactors::arrays() {
  return {score_.size(), awake_,      a_.data(),   b_.data(),     score_.data(), q_a_.data(),
          q_b_.data(),   u_a_.data(), u_b_.data(), sum_a_.data(), sum_b_.data()};
}

void PairFactors::project(std::span<const double> p, double penalty, std::span<double> sums) {
  static const auto kernel = KIRCHHOFF_KERNEL(Project);
  kernel(arrays(), p.data(), penalty, sums.data());
}

PairFactors::Step PairFactors::update(std::span<const double> p, double penalty) {
  static const auto kernel = KIRCHHOFF_KERNEL(Update);
  ++updates_;
  return kernel(arrays(), p.data(), penalty);
}

double PairFactors::bound(std::span<double> moved) {
  static const auto kernel = KIRCHHOFF_KERNEL(Bound);
  return kernel(arrays(), moved.data());
}

double PairFactors::mixture_score(std::span<const double> p) {
  static const auto kernel = KIRCHHOFF_KERNEL(MixtureScore);
  return kernel(arrays(), p.data());
}

double PairFactors::value_at(std::span<const double> z) {
  static const auto kernel = KIRCHHOFF_KERNEL(ValueAt);
  return kernel(arrays(), 0, z.data());
}

std::size_t PairFactors::first_to_wake(std::span<const double> p, std::size_t begin) {
  static const auto kernel = KIRCHHOFF_KERNEL(FirstToWake);
  return kernel(arrays(), p.data(), begin);
}

double PairFactors::add_local(std::span<double> sums) const {
  double size = 0.0;
  for (std::size_t k = 0; k < score_.size(); ++k) {
    sums[a_[k]] += q_a_[k];
    sums[b_[k]] += q_b_[k];
    size += std::abs(q_a_[k]) + std::abs(q_b_[k]);
  }
  return size;
}

void PairFactors::set_local(std::span<const double> q) {
  for (std::size_t k = 0; k < score_.size(); ++k) {
    if (number_[k] < 0) continue;
    q_a_[k] = q[2 * static_cast<std::size_t>(number_[k])];
    q_b_[k] = q[2 * static_cast<std::size_t>(number_[k]) + 1];
  }
}

void PairFactors::copy_local(std::span<double> q) const {
  for (std::size_t k = 0; k < score_.size(); ++k) {
    if (number_[k] < 0) continue;
    q[2 * static_cast<std::size_t>(number_[k])] = q_a_[k];
    q[2 * static_cast<std::size_t>(number_[k]) + 1] = q_b_[k];
  }
}

void PairFactors::shift_local(std::span<const double> shifts) {
  for (std::size_t k = 0; k < score_.size(); ++k) {
    q_a_[k] += shifts[a_[k]];
    q_b_[k] += shifts[b_[k]];
  }
}

}  // namespace kirchhoff::factor
#endif
