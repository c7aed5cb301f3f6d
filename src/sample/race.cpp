// Sampling without replacement as a race in the trie of prefixes.
//
// The race is run in the trie of prefixes of choices (heads, then labels), which is grown only where it must be. The
// first arrival below a prefix X of probability P_X comes after an exponential time of rate P_X; it takes option c with
// the conditional probability p_c. Time has no memory: the first arrival below one of the other options comes an
// exponential time of rate P_X (1 - p_c) later, and so on. So a queue of prefixes, each with the time of the first
// arrival below its options not taken yet, gives the trees one by one: no probability is ever subtracted, and a tree
// that was taken cannot come back. The same numbers of the same prefix make the same race, so the first k trees do not
// depend on how many are asked for. With a known k the queue is a stochastic beam [Kool19]: entries behind the k + 1
// first are dropped.
//
// Where what is left of a prefix is less than the error of its probabilities, it waits for a bound on its time, and
// only when that comes up the exact conditional probabilities are computed: structure, not rounding, decides
// whether a tree exists.
//
// A tree costs n rows of ConditionalWalk, less what it shares with earlier ones: states along repeated prefixes are
// kept.
#include "sample/race.hpp"

#include "base/random.hpp"
#include "sample/labels.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::sample {
namespace {

constexpr int kSaveEvery = 2 * MergePanel::kSteps;          // levels
constexpr std::size_t kMostSaved = std::size_t{256} << 20;  // bytes

constexpr std::uint64_t kFirst = ~std::uint64_t{0};  // the stream of the first arrival of all

/// A name for the child, by splitmix64's finaliser.
std::uint64_t child_key(std::uint64_t key, int option) {
  std::uint64_t x = key + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(option) + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// -log(exp(-a) + exp(-b)): the perturbed log-probability of a time that is the sum of two.
double later(double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  return low - std::log1p(std::exp(low - high));
}

}  // namespace

Race::Race(const TreeDistribution& p, std::uint64_t seed, std::size_t most)
    : inverse_(std::make_shared<const LaplacianInverse>(p)), walk_(*inverse_), seed_(seed), most_(most) {
  auto root = std::make_shared<Prefix>();
  root->pause = base::Random(seed_, root->key, kFirst).exponential();
  push(root, 1.0);
}

Race::Race(const LabelledTreeDistribution& p, std::uint64_t seed, std::size_t most) : Race(p.tree(), seed, most) {
  labelled_ = p;
}

std::optional<Arrival> Race::next() {
  const double perturbed = next_perturbed();
  if (perturbed == -HUGE_VAL || given_ == most_) return std::nullopt;
  PrefixPtr prefix = pop();
  ++given_;
  go_to(prefix);
  while (!is_leaf(*prefix)) prefix = advance(prefix, perturbed);
  return Arrival{tree_at(prefix), perturbed};
}

double Race::next_perturbed() {
  while (!waiting_.empty() && !waiting_.front().prefix->resolved) {
    const PrefixPtr prefix = pop();
    prefix->exact = true;
    go_to(prefix);
    wait(prefix);
  }
  return waiting_.empty() ? -HUGE_VAL : waiting_.front().perturbed;
}

/// The arrival at hand takes one of the prefix's options; the prefix waits for the next.
Race::PrefixPtr Race::advance(const PrefixPtr& prefix, double perturbed) {
  base::Random random(seed_, prefix->key, prefix->taken.size());
  const int option = pick(*prefix, random.uniform());
  auto child = std::make_shared<Prefix>();
  child->parent = prefix;
  child->option = option;
  child->level = prefix->level + 1;
  child->key = child_key(prefix->key, option);
  child->log_p = prefix->log_p + scale_ + std::log(open_[option]);
  child->heads = prefix->heads;

  prefix->taken.push_back(option);
  prefix->last = perturbed;
  prefix->pause = random.exponential();
  open_[option] = 0.0;
  sums_ = lane_sums(open_.data(), open_.size());
  wait(prefix);

  if (!at_labels(*prefix)) walk_.choose(option);
  if (labelled_ && child->level == inverse_->n) child->heads = std::make_shared<const Heads>(walk_.heads());
  return child;
}

/// Loads the options that are open and picks one.
int Race::pick(Prefix& prefix, double u) {
  const auto choose = [&] { return choose_option(open_.data(), static_cast<int>(open_.size()), sums_, u); };
  load_open(prefix, prefix.exact);
  const int option = choose();
  if (option >= 0 && open_[option] >= uncertain_) return option;
  load_open(prefix, true);
  return choose();
}

/// Queues the prefix for the first arrival below its options not taken.
void Race::wait(const PrefixPtr& prefix) {
  if (prefix->exact || at_labels(*prefix)) load_open(*prefix, true);  // in units of the best that is left
  const double open = total(sums_);
  prefix->resolved = uncertain_ == 0.0 || open >= uncertain_;
  if (prefix->resolved ? open > 0.0 : any_possible(*prefix)) {
    push(prefix, prefix->resolved ? open : open + uncertain_);
  }
}

/// `open` is the probability of the options not taken, in units of exp(scale_).
void Race::push(const PrefixPtr& prefix, double open) {
  const double after_last = prefix->log_p + scale_ + std::log(open / prefix->pause);
  if (after_last < floor_) return;  // as most are; later() could only be lower
  const double perturbed = later(prefix->last, after_last);
  if (perturbed < floor_) return;
  waiting_.push_back({perturbed, prefix});
  std::push_heap(waiting_.begin(), waiting_.end());
  if (most_ < waiting_.size() / 2) drop_hopeless();
}

Race::PrefixPtr Race::pop() {
  std::pop_heap(waiting_.begin(), waiting_.end());
  PrefixPtr prefix = std::move(waiting_.back().prefix);
  waiting_.pop_back();
  return prefix;
}

/// Needed are the arrivals still to be given and the one after them. What comes after as many resolved ones is not.
void Race::drop_hopeless() {
  const std::size_t needed = most_ - given_ + 1;
  const auto resolved =
      std::partition(waiting_.begin(), waiting_.end(), [](const Waiting& w) { return w.prefix->resolved; });
  if (static_cast<std::size_t>(resolved - waiting_.begin()) >= needed) {
    const auto last = waiting_.begin() + static_cast<std::ptrdiff_t>(needed - 1);
    std::nth_element(waiting_.begin(), last, resolved, [](const Waiting& a, const Waiting& b) { return b < a; });
    floor_ = last->perturbed;
    std::erase_if(waiting_, [&](const Waiting& w) { return w.perturbed < floor_; });
  }
  std::make_heap(waiting_.begin(), waiting_.end());
}

void Race::load_open(const Prefix& prefix, bool exact) {
  if (at_labels(prefix) || exact) {
    const int word = prefix.level - inverse_->n + 1;
    open_ = at_labels(prefix) ? label_logs(*labelled_, {(*prefix.heads)[word], word}) : walk_.exact_logs();
    for (const int option : prefix.taken) open_[option] = -HUGE_VAL;
    scale_ = *std::max_element(open_.begin(), open_.end());
    for (double& x : open_) x = x == -HUGE_VAL ? 0.0 : std::exp(x - scale_);
    uncertain_ = 0.0;
    sums_ = lane_sums(open_.data(), open_.size());
    return;
  }
  const ConditionalRow row = walk_.row();
  open_.assign(row.p, row.p + walk_.options());
  for (const int option : prefix.taken) open_[option] = 0.0;
  sums_ = prefix.taken.empty() ? row.sums : lane_sums(open_.data(), open_.size());
  scale_ = 0.0;
  uncertain_ = row.uncertain;
}

/// Whether an option is left, decided by structure alone.
bool Race::any_possible(const Prefix& prefix) const {
  for (int option = 0; option < walk_.options(); ++option) {
    const bool taken = std::find(prefix.taken.begin(), prefix.taken.end(), option) != prefix.taken.end();
    if (!taken && walk_.possible(option)) return true;
  }
  return false;
}

/// Replays the choices after the nearest state that was saved. A path that is replayed may well be so again: its states
/// are saved every few levels.
void Race::go_to(const PrefixPtr& prefix) {
  if (at_labels(*prefix)) return;
  std::vector<Prefix*> path;
  Prefix* from = prefix.get();
  for (; from->parent && !from->saved; from = from->parent.get()) path.push_back(from);
  if (from->saved) {
    walk_.load(*from->saved);
  } else {
    walk_.restart();
  }
  for (; !path.empty(); path.pop_back()) {
    walk_.choose(path.back()->option);
    if (walk_.level() % kSaveEvery == 0 && *saved_bytes_ < kMostSaved) path.back()->saved = save();
  }
}

std::shared_ptr<const ConditionalWalk::Saved> Race::save() {
  auto* saved = new ConditionalWalk::Saved(walk_.save());
  *saved_bytes_ += saved->bytes();
  return {saved, [total = saved_bytes_](const ConditionalWalk::Saved* s) {
            *total -= s->bytes();
            delete s;
          }};
}

Tree Race::tree_at(const PrefixPtr& leaf) const {
  if (!labelled_) return tree_of(inverse_->p, walk_.heads());
  std::vector<int> labels(leaf->heads->size(), 0);
  for (const Prefix* prefix = leaf.get(); prefix->level > inverse_->n; prefix = prefix->parent.get()) {
    labels[prefix->level - inverse_->n] = prefix->option;
  }
  return tree_of(*labelled_, *leaf->heads, std::move(labels));
}

}  // namespace kirchhoff::sample
