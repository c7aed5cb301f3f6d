// The threads of a team do not depend on each other within a phase, nor do the teams of a crew between two meetings:
// whichever goes first, and however many there are, the trees are the same. What a device does side by side is so
// tested where there is none.
#include "cuda/kernels/beam_search.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace kirchhoff::cuda {
namespace {

constexpr int kSmallRows = 4;

/// A team on the host whose last thread goes first.
template <int kThreadCount>
struct ReversedTeam : HostTeam<kThreadCount> {
  template <class F>
  void each(F f) const {
    for (int thread = kThreadCount; thread-- > 0;) f(thread);
  }
};

/// Where the teams of a crew, each of which is a thread of the host, wait for each other.
class Meeting {
 public:
  explicit Meeting(int teams) : teams_(teams) {}
  template <class F>
  void wait(F f) {
    std::unique_lock lock(mutex_);
    if (++arrived_ < teams_) {
      over_.wait(lock, [&, round = round_] { return round_ != round; });
      return;
    }
    f();
    arrived_ = 0;
    ++round_;
    over_.notify_all();
  }

 private:
  const int teams_;
  int arrived_ = 0, round_ = 0;
  std::mutex mutex_;
  std::condition_variable over_;
};
struct ThreadCrew {
  int index, teams;
  Meeting* meeting;
  template <class Team, class F>
  void meet(const Team&, BeamControl&, F f) {
    meeting->wait(f);
  }
};

struct Found {
  std::vector<std::int32_t> heads;
  std::vector<double> log_prob, perturbed;
  double threshold = 0.0;
  std::int32_t count = 0;
  Status status = Status::open;
  bool operator==(const Found&) const = default;
};

/// A team `First` prepares the graph, and teams of another kind search it.
template <class Team, class N, class First = Team>
Found search(const Matrix& scores, Root root, int k, int teams = 1) {
  const int n = static_cast<int>(scores.rows()) - 1;
  Found found{std::vector<std::int32_t>(k * (n + 1)), std::vector<double>(k), std::vector<double>(k)};
  BeamSearch search;
  search.graphs.graphs = 1;
  search.graphs.words = n;
  search.graphs.single_root = root == Root::single;
  search.graphs.scores = {const_cast<double*>(scores.data()), false, 0, n + 1, 1, 1};
  search.graphs.status = &found.status;
  search.trees = k;
  search.heads = found.heads.data();
  search.log_prob = found.log_prob.data();
  search.perturbed = found.perturbed.data();
  search.threshold = &found.threshold;
  search.count = &found.count;
  const auto room = std::make_unique<char[]>(BeamRoom<N>(nullptr, n, search.kept()).bytes);
  const std::size_t first = PrepareDesk<N>(nullptr, n).bytes,
                    second = PrefixDesk<N>(nullptr, n, kSmallRows, nullptr).bytes;
  const auto desk = std::make_unique<char[]>(std::max(first, second));
  prepare_beam<First, N>(First(), search, 0, room.get(), desk.get());
  EXPECT_NE(found.status, Status::open);
  Meeting meeting(teams);
  std::vector<std::thread> threads;
  for (int i = 0; i < teams; ++i) {
    threads.emplace_back([&, i] {
      const auto memory = std::make_unique<char[]>(second);
      const auto large = std::make_unique<N[]>(large_chain_size(n));
      const PrefixDesk<N> own_desk(memory.get(), n, kSmallRows, large.get());
      search_graph<Team, N>(Team(), ThreadCrew{i, teams, &meeting}, search, 0, room.get(), own_desk);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return found;
}

/// Prefixes that are equally good are told apart by their keys, and those of one key by their places.
TEST(CudaBeamOrder, TiesHaveAnOrder) {
  Prefix list[6] = {};
  const std::pair<double, std::uint64_t> values[] = {{1.0, 7}, {2.0, 9}, {1.0, 3}, {2.0, 9}, {0.5, 1}, {1.0, 7}};
  for (int i = 0; i < 6; ++i) {
    list[i].perturbed = values[i].first;
    list[i].key = values[i].second;
  }
  const int expected[] = {3, 0, 2, 1, 5, 4};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(count_better(list, 6, i, 0, 1), expected[i]);
    EXPECT_EQ(count_better(list, 6, i, 0, 2) + count_better(list, 6, i, 1, 2), expected[i]) << "two threads";
  }
}

TEST(CudaBeamOrder, ThreadsOfATeamMayRunInAnyOrder) {
  graphs::Random random(931);
  for (int n : {1, 2, 5, 12, 33, 40})
    for (Root root : graphs::kRoots)
      for (const double density : {1.0, 0.3}) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", " << density);
        const Matrix scores = graphs::masked_feasible(graphs::normal(n, 3.0, random), density, random);
        const Found found = search<HostTeam<128>, double>(scores, root, 40);
        EXPECT_EQ(found.status, Status::solved);
        EXPECT_EQ(found, (search<ReversedTeam<128>, double>(scores, root, 40)));
        EXPECT_EQ((search<HostTeam<32>, Extended>(scores, root, 40)),
                  (search<ReversedTeam<32>, Extended>(scores, root, 40)));
      }
}

TEST(CudaBeamOrder, TeamsShareASearch) {
  graphs::Random random(932);
  for (int n : {1, 3, 12, 25})
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n);
      const Matrix scores = graphs::normal(n, 2.0, random);
      const Found found = search<HostTeam<32>, double>(scores, root, 150);
      for (const int teams : {2, 3, 7}) EXPECT_EQ(found, (search<HostTeam<32>, double>(scores, root, 150, teams)));
    }
}

/// A device searches with teams of a warp or of more, by how much there is to do.
TEST(CudaBeamOrder, TeamsMayHaveAnySize) {
  graphs::Random random(934);
  using First = HostTeam<64>;
  for (int n : {2, 9, 30, 140})
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n);
      const Matrix scores = graphs::normal(n, 2.0, random);
      const Found found = search<HostTeam<128>, double, First>(scores, root, 20);
      EXPECT_EQ(found, (search<HostTeam<32>, double, First>(scores, root, 20)));
      EXPECT_EQ(found, (search<HostTeam<1>, double, First>(scores, root, 20)));
    }
}

/// All teams learn that doubles have not the range, and stop. Weights have it here, but not the chains of prefixes.
TEST(CudaBeamOrder, TeamsGiveUpTogether) {
  Matrix scores = Matrix::Constant(6, 6, -340.0);
  for (int word = 1; word < 6; ++word) scores(word - 1, word) = 0.0;
  for (const int teams : {1, 3}) {
    EXPECT_EQ((search<HostTeam<32>, double>(scores, Root::multi, 1000, teams).status), Status::open);
    EXPECT_EQ((search<HostTeam<32>, Extended>(scores, Root::multi, 1000, teams).status), Status::extended);
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
