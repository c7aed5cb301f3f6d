// No heap allocation per sentence: after a warm-up, a batch of 1000 graphs allocates as often as a batch of 100.
//
// Every allocation of the process is counted: malloc itself where glibc lets a program replace it (that sees Eigen's
// and Highway's buffers too), else, under a sanitizer, operator new.
#include "kirchhoff/expectation.hpp"

#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNT_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define COUNT_MALLOC 0
#endif
#endif
#if !defined(COUNT_MALLOC) && defined(__GLIBC__)
#define COUNT_MALLOC 1
#endif

std::atomic<long> allocations{0};  // also read by factor/allocation_test.cpp

#if COUNT_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) { return ++allocations, __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return ++allocations, __libc_calloc(count, size); }
void* realloc(void* old, std::size_t size) { return ++allocations, __libc_realloc(old, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return ++allocations, __libc_memalign(alignment, size); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  *out = aligned_alloc(alignment, size);
  return *out == nullptr ? 12 : 0;  // ENOMEM
}
}
#else
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return ++allocations, std::malloc(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
#endif

namespace kirchhoff {
namespace {

/// The same few shapes again and again, mild (fast method) or peaked (robust, some with extended scalars).
MatrixBatch sentences(int count, double s) {
  graphs::Random random(151);
  MatrixBatch batch;
  for (int k = 0; k < count; ++k) batch.add(graphs::normal(5 + k % 10, s, random));
  return batch;
}

template <class F>
long allocations_of(const F& work) {
  const long before = allocations;
  work();
  return allocations - before;
}

TEST(Allocation, TheCounterCounts) {
  EXPECT_GE(allocations_of([] { std::vector<double>(1000).data()[7] = 1; }), 1);
  EXPECT_EQ(allocations_of([] {}), 0);
}

/// `work` on a batch of 100 and of 1000 must allocate equally often: result buffers only.
template <class F>
void expect_no_allocation_per_sentence(const F& work, double s) {
  const MatrixBatch small = sentences(100, s), large = sentences(1000, s);
  work(large), work(small);
  const long few = allocations_of([&] { work(small); }), many = allocations_of([&] { work(large); });
  EXPECT_EQ(few, many) << "s = " << s;
  EXPECT_LT(many, 50) << "more than the result's buffers and a constant";
}

TEST(Allocation, TreeBatchAllocatesNothingPerSentence) {
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (double s : {1.0, 30.0, 300.0}) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method));
        const BatchOptions options{.threads = 1, .accuracy = graphs::forced(method)};
        expect_no_allocation_per_sentence([&](const MatrixBatch& b) { TreeBatch(b, root, options).solve(); }, s);
      }
}

TEST(Allocation, ImpossibleArcsAllocateNothingPerSentence) {
  graphs::Random random(152);
  MatrixBatch small, large;
  for (int k = 0; k < 1000; ++k) {
    const Matrix scores = graphs::masked_feasible(graphs::normal(5 + k % 10, 3, random), 0.4, random);
    if (k < 100) small.add(scores);
    large.add(scores);
  }
  for (Root root : graphs::kRoots) {
    const auto work = [&](const MatrixBatch& b) { TreeBatch(b, root, {.threads = 1}).solve(); };
    work(large), work(small);
    EXPECT_EQ(allocations_of([&] { work(small); }), allocations_of([&] { work(large); })) << graphs::name(root);
  }
}

TEST(Allocation, VisitingAllocatesNothingPerSentence) {
  for (double s : {1.0, 300.0}) {
    double sum = 0;
    const auto work = [&](const MatrixBatch& b) {
      TreeBatch(b, Root::single, {.threads = 1}).visit([&](std::size_t, const TreeDistribution& p) {
        sum += p.log_partition();
      });
    };
    expect_no_allocation_per_sentence(work, s);
  }
}

TEST(Allocation, EntropiesAllocateNothingPerSentence) {
  for (double s : {1.0, 300.0}) {
    const auto work = [&](const MatrixBatch& b) {
      const TreeBatch batch(b, Root::multi, {.threads = 1});
      std::vector<double> gradients(batch.array_size());
      entropies(batch, gradients);
    };
    expect_no_allocation_per_sentence(work, s);
  }
}

TEST(Allocation, DistributionsOneAfterTheOtherAllocateNothing) {
  const MatrixBatch batch = sentences(1, 1.0);
  double sum = TreeDistribution(batch[0], Root::single).log_partition();
  EXPECT_EQ(allocations_of([&] { sum += TreeDistribution(batch[0], Root::single).log_partition(); }), 0);
}

}  // namespace
}  // namespace kirchhoff
