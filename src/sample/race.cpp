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
// kept. Several threads follow the first arrivals of the queue, each its own: arrivals below different prefixes have
// nothing to do with each other. The few that turn out not to be among the first k are forgotten.
#include "sample/race.hpp"

#include "base/random.hpp"
#include "sample/labels.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::sample {
namespace {

constexpr int kSaveEvery = 2 * MergePanel::kSteps - 1;      // levels, at least
constexpr std::size_t kMostSaved = std::size_t{256} << 20;  // bytes

}  // namespace

Race::Race(const TreeDistribution& p, std::uint64_t seed, std::size_t most)
    : inverse_(std::make_shared<const LaplacianInverse>(p)), seed_(seed), most_(most), runner_(*inverse_) {
  auto root = std::make_shared<Prefix>();
  root->pause = base::Random(seed_, root->key, kFirstArrival).exponential();
  begin(runner_, root);
  queue(runner_, 0, 1.0);
  merge(runner_);
}

Race::Race(const LabelledTreeDistribution& p, std::uint64_t seed, std::size_t most) : Race(p.tree(), seed, most) {
  labelled_ = p;
}

std::optional<Arrival> Race::next() {
  while (!waiting_.empty() && given_ < most_) {
    std::optional<Arrival> arrival = follow(runner_, pop());
    merge(runner_);
    if (!arrival) continue;
    ++given_;
    return arrival;
  }
  return std::nullopt;
}

/// Follows an arrival to its tree. Nothing comes of one that had a bound only: it is given its place in the queue.
std::optional<Arrival> Race::follow(Runner& runner, const Waiting& waiting) const {
  go_to(runner, waiting.prefix);
  begin(runner, waiting.prefix);
  if (!waiting.prefix->resolved) {
    waiting.prefix->exact = true;
    wait(runner, 0);
    return std::nullopt;
  }
  std::size_t step = 0;
  for (; !is_leaf(*runner.way[step]); ++step) advance(runner, step, waiting.perturbed);
  return Arrival{tree_at(runner, step), waiting.perturbed};
}

void Race::begin(Runner& runner, const PrefixPtr& prefix) {
  if (runner.way.empty()) runner.way.emplace_back();
  runner.way.front().in_trie = prefix;
}

/// Gives a step of the way, and those before it, a place in the trie.
const Race::PrefixPtr& Race::put_into_trie(Runner& runner, std::size_t step) {
  Step& last = runner.way[step];
  if (!last.in_trie) {
    const PrefixPtr& parent = put_into_trie(runner, step - 1);
    last.in_trie = std::make_shared<Prefix>(std::move(last.fresh));
    last.in_trie->parent = parent;
  }
  return last.in_trie;
}

/// The arrival at hand takes one of the prefix's options; the prefix waits for the next.
void Race::advance(Runner& runner, std::size_t step, double perturbed) const {
  Prefix& prefix = *runner.way[step];
  base::Random random(seed_, prefix.key, prefix.taken.size());
  const int option = pick(runner, prefix, random.uniform());
  if (runner.way.size() == step + 1) runner.way.emplace_back();
  Step& next = runner.way[step + 1];
  next.in_trie.reset();
  Prefix& child = next.fresh;
  child.option = option;
  child.level = prefix.level + 1;
  child.key = child_key(prefix.key, option);
  child.log_p = prefix.log_p + runner.open.scale + std::log(runner.open.p[option]);
  child.heads = prefix.heads;
  child.taken.clear();
  child.last = HUGE_VAL;
  child.exact = false;
  child.resolved = true;

  prefix.taken.push_back(option);
  prefix.last = perturbed;
  prefix.pause = random.exponential();
  runner.open.take(option);
  const bool chooses_head = !at_labels(prefix);
  wait(runner, step);  // after which the prefix may lie elsewhere

  if (chooses_head) runner.walk.choose(option);
  if (labelled_ && child.level == inverse_->n) child.heads = std::make_shared<const Heads>(runner.walk.heads());
}

/// Loads the options that are open and picks one.
int Race::pick(Runner& runner, Prefix& prefix, double u) const {
  const OpenOptions& open = runner.open;
  load_open(runner, prefix, prefix.exact);
  const int option = open.choose(u);
  if (option >= 0 && open.p[option] >= open.uncertain) return option;
  load_open(runner, prefix, true);
  return open.choose(u);
}

/// Queues the prefix for the first arrival below its options not taken.
void Race::wait(Runner& runner, std::size_t step) const {
  Prefix& prefix = *runner.way[step];
  if (prefix.exact || at_labels(prefix)) load_open(runner, prefix, true);  // in units of the best that is left
  const OpenOptions& options = runner.open;
  const double open = total(options.sums);
  prefix.resolved = options.uncertain == 0.0 || open >= options.uncertain;
  if (prefix.resolved ? open > 0.0 : any_possible(runner.walk, prefix.taken)) {
    queue(runner, step, prefix.resolved ? open : open + options.uncertain);
  }
}

/// `open` is the probability of the options not taken, in units of exp(scale).
void Race::queue(Runner& runner, std::size_t step, double open) const {
  const Prefix& prefix = *runner.way[step];
  const double after_last = prefix.log_p + runner.open.scale + std::log(open / prefix.pause);
  if (after_last < runner.floor) return;  // as most are; later() could only be lower
  const double perturbed = later(prefix.last, after_last);
  if (perturbed >= runner.floor) runner.queued.push_back({perturbed, put_into_trie(runner, step)});
}

/// Takes up what a runner has queued.
void Race::merge(Runner& runner) {
  for (Waiting& waiting : runner.queued) {
    if (waiting.perturbed < floor_) continue;
    waiting_.push_back(std::move(waiting));
    std::push_heap(waiting_.begin(), waiting_.end());
    if (most_ < waiting_.size() / 2) drop_hopeless();
  }
  runner.queued.clear();
  runner.floor = floor_;
}

Race::Waiting Race::pop() {
  std::pop_heap(waiting_.begin(), waiting_.end());
  Waiting first = std::move(waiting_.back());
  waiting_.pop_back();
  return first;
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

void Race::load_open(Runner& runner, const Prefix& prefix, bool exact) const {
  if (at_labels(prefix)) {
    const int word = prefix.level - inverse_->n + 1;
    runner.open.load_exact(label_logs(labelled_->scores(), {(*prefix.heads)[word], word}), prefix.taken);
  } else if (exact) {
    runner.open.load_exact(runner.walk.exact_logs(), prefix.taken);
  } else {
    runner.open.load(runner.walk.row(), runner.walk.options(), prefix.taken);
  }
}

/// Replays the choices after the nearest state that was saved. A path that is replayed may well be so again: its states
/// are saved every few levels.
void Race::go_to(Runner& runner, const PrefixPtr& prefix) const {
  if (at_labels(*prefix)) return;
  std::vector<Prefix*> path;
  std::shared_ptr<const ConditionalWalk::Saved> saved;
  {
    const std::lock_guard lock(mutex_);
    Prefix* from = prefix.get();
    for (; from->parent && !from->saved; from = from->parent.get()) path.push_back(from);
    saved = from->saved;
  }
  ConditionalWalk& walk = runner.walk;
  if (saved) {
    walk.load(*saved);
  } else {
    walk.restart();
  }
  for (int last = walk.level(); !path.empty(); path.pop_back()) {
    walk.choose(path.back()->option);
    if (walk.level() - last < kSaveEvery || !walk.is_settled() || *saved_bytes_ >= kMostSaved) continue;
    last = walk.level();
    auto made = save(walk);
    const std::lock_guard lock(mutex_);
    path.back()->saved = std::move(made);
  }
}

std::shared_ptr<const ConditionalWalk::Saved> Race::save(ConditionalWalk& walk) const {
  auto* saved = new ConditionalWalk::Saved(walk.save());
  *saved_bytes_ += saved->bytes();
  return {saved, [total = saved_bytes_](const ConditionalWalk::Saved* s) {
            *total -= s->bytes();
            delete s;
          }};
}

Tree Race::tree_at(Runner& runner, std::size_t leaf) const {
  if (!labelled_) return tree_of(inverse_->p, runner.walk.heads());
  const Heads& heads = *(*runner.way[leaf]).heads;
  std::vector<int> labels(heads.size(), 0);
  const auto take = [&](const Prefix& prefix) {
    if (prefix.level > inverse_->n) labels[prefix.level - inverse_->n] = prefix.option;
  };
  for (std::size_t step = leaf; step > 0; --step) take(*runner.way[step]);
  for (const Prefix* prefix = runner.way[0].in_trie.get(); prefix; prefix = prefix->parent.get()) take(*prefix);
  return tree_of(*labelled_, heads, std::move(labels));
}

}  // namespace kirchhoff::sample
