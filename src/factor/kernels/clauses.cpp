// Clauses of three inputs, a vector of them at a time: the projection on {0 <= u <= 1, sum u >= 1} in closed form, and
// the update of the local scores. O(clauses).
#include "factor/kernels/clauses.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor/kernels/clauses.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::factor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What is done with so many clauses at once as D has lanes; x, y and z are the three inputs.
template <class D>
class ClauseBlock {
 public:
  ClauseBlock(const ClauseArrays& arrays, double penalty, std::size_t begin) : c_(arrays), k_(begin) {
    hn::Vec<Wide> x, y, z;
    hn::LoadInterleaved3(Wide(), c_.places + 3 * k_, x, y, z);
    p_ = {at(x), at(y), at(z)};
    not_x_ = is_negated(x);
    not_y_ = is_negated(y);
    not_z_ = is_negated(z);
    weight_ = hn::LoadU(d_, c_.weights + k_);
    rate_ = hn::Mul(hn::Set(d_, penalty), weight_);
  }

  HWY_INLINE void project() const {
    const V rate = hn::Div(hn::Set(d_, 1.0), rate_);
    const Three q = load(c_.q);
    const V x = turned(not_x_, hn::MulAdd(q.x, rate, p_.x)), y = turned(not_y_, hn::MulAdd(q.y, rate, p_.y)),
            z = turned(not_z_, hn::MulAdd(q.z, rate, p_.z));
    const V tau = threshold(x, y, z);
    store({turned(not_x_, clamp(hn::Sub(x, tau))), turned(not_y_, clamp(hn::Sub(y, tau))),
           turned(not_z_, clamp(hn::Sub(z, tau)))},
          c_.u);
  }

  /// Adds to the lanes of both sums, and returns which clauses agree.
  HWY_INLINE hn::Mask<D> update(hn::Vec<D>& squares, hn::Vec<D>& work) const {
    const Three u = load(c_.u), q = load(c_.q);
    const Three apart = {hn::Sub(u.x, p_.x), hn::Sub(u.y, p_.y), hn::Sub(u.z, p_.z)};
    const Three next = {hn::NegMulAdd(rate_, apart.x, q.x), hn::NegMulAdd(rate_, apart.y, q.y),
                        hn::NegMulAdd(rate_, apart.z, q.z)};
    store(next, c_.q);
    squares = hn::MulAdd(weight_, dot(apart, apart), squares);
    work = hn::Add(work, dot(next, apart));
    for (std::size_t i = 3 * k_; i < 3 * (k_ + hn::Lanes(d_)); i += hn::Lanes(d_)) {
      hn::StoreU(hn::Add(hn::LoadU(d_, c_.q_sum + i), hn::LoadU(d_, c_.q + i)), d_, c_.q_sum + i);
      if (c_.u_sum == nullptr) continue;
      hn::StoreU(hn::Add(hn::LoadU(d_, c_.u_sum + i), hn::LoadU(d_, c_.u + i)), d_, c_.u_sum + i);
    }
    const V zero = hn::Zero(d_);
    return hn::And(hn::And(hn::Eq(apart.x, zero), hn::Eq(apart.y, zero)), hn::Eq(apart.z, zero));
  }

 private:
  using V = hn::Vec<D>;
  using Wide = hn::RebindToSigned<D>;
  struct Three {
    V x, y, z;
  };

  HWY_INLINE Three load(const double* values) const {
    Three three;
    hn::LoadInterleaved3(d_, values + 3 * k_, three.x, three.y, three.z);
    return three;
  }
  HWY_INLINE void store(const Three& three, double* values) const {
    hn::StoreInterleaved3(three.x, three.y, three.z, d_, values + 3 * k_);
  }
  HWY_INLINE V at(hn::Vec<Wide> place) const { return hn::GatherIndex(d_, c_.p, hn::ShiftRight<1>(place)); }
  HWY_INLINE hn::Mask<D> is_negated(hn::Vec<Wide> place) const {
    const auto one = hn::Set(Wide(), 1);
    return hn::RebindMask(d_, hn::Eq(hn::And(place, one), one));
  }
  HWY_INLINE V turned(hn::Mask<D> negated, V x) const {
    return hn::IfThenElse(negated, hn::Sub(hn::Set(d_, 1.0), x), x);
  }
  HWY_INLINE V clamp(V x) const { return hn::Min(hn::Max(x, hn::Zero(d_)), hn::Set(d_, 1.0)); }
  HWY_INLINE V dot(const Three& a, const Three& b) const {
    return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
  }
  /// What is taken off three targets before they are clipped: nothing if they then sum to 1 at least, and else the
  /// highest of what the largest one, two and three of them need to sum to 1.
  HWY_INLINE V threshold(V x, V y, V z) const {
    const V low = hn::Min(x, y), high = hn::Max(x, y), limit = hn::Set(d_, 1.0);
    const V one = hn::Sub(hn::Max(high, z), limit);
    const V two = hn::Add(one, hn::Max(low, hn::Min(high, z)));
    const V three = hn::Add(two, hn::Min(low, z));
    const V tau = hn::Max(one, hn::Max(hn::Mul(hn::Set(d_, 0.5), two), hn::Mul(hn::Set(d_, 1.0 / 3.0), three)));
    const V sum = hn::Add(hn::Add(clamp(x), clamp(y)), clamp(z));
    return hn::IfThenElseZero(hn::Lt(sum, limit), tau);
  }

  D d_;
  const ClauseArrays& c_;
  std::size_t k_;
  Three p_;  ///< the consensus
  hn::Mask<D> not_x_, not_y_, not_z_;
  V weight_, rate_;
};

/// Calls visit(block) for all clauses, as many at a time as a vector has lanes, and the last ones one by one.
template <class Visit>
HWY_INLINE void for_each_block(const ClauseArrays& c, double penalty, const Visit& visit) {
  using D = hn::CappedTag<double, 8>;
  using One = hn::CappedTag<double, 1>;
  std::size_t k = 0;
  for (; k + hn::Lanes(D()) <= c.size; k += hn::Lanes(D())) visit(D(), ClauseBlock<D>(c, penalty, k), k);
  for (; k < c.size; ++k) visit(One(), ClauseBlock<One>(c, penalty, k), k);
}

void ProjectClauses(const ClauseArrays& c, double penalty) {
  for_each_block(c, penalty, [](auto, const auto& block, std::size_t) HWY_ATTR { block.project(); });
}

ClauseStep UpdateClauses(const ClauseArrays& c, double penalty, char* agrees) {
  ClauseStep step;
  HWY_ALIGN double squares_of[8] = {}, work_of[8] = {};
  for_each_block(c, penalty, [&](auto d, const auto& block, std::size_t k) HWY_ATTR {
    auto squares = hn::Load(d, squares_of), work = hn::Load(d, work_of);
    const auto agree = block.update(squares, work);
    hn::Store(squares, d, squares_of);
    hn::Store(work, d, work_of);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, agree, bits);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) agrees[k + i] = static_cast<char>(bits[0] >> i & 1);
  });
  for (const double x : squares_of) step.squares += x;
  for (const double x : work_of) step.work += x;
  return step;
}

}  // namespace kirchhoff::factor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::factor {

HWY_EXPORT(ProjectClauses);
HWY_EXPORT(UpdateClauses);

void project_clauses(const ClauseArrays& clauses, double penalty) {
  static const auto kernel = KIRCHHOFF_KERNEL(ProjectClauses);
  kernel(clauses, penalty);
}

ClauseStep update_clauses(const ClauseArrays& clauses, double penalty, char* agrees) {
  static const auto kernel = KIRCHHOFF_KERNEL(UpdateClauses);
  return kernel(clauses, penalty, agrees);
}

}  // namespace kirchhoff::factor
#endif
