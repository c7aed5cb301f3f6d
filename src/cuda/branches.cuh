// Work on a stream that is done side by side: streams of our own, which begin where the caller's is, and which it waits
// for. Kernels for graphs of different sizes take about as long as one graph does, so that one after the other would
// leave most of a device idle.
#pragma once

#include "cuda/check.cuh"

#include <cuda_runtime.h>

#include <map>

namespace kirchhoff::cuda {

/// A thread's streams of one device. They are never given back: at a thread's end the device may be gone already.
struct OwnStreams {
  static constexpr int kCount = 4;
  cudaStream_t streams[kCount];
  cudaEvent_t begin, ends[kCount];

  OwnStreams() {
    check(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming), "event");
    for (int i = 0; i < kCount; ++i) {
      check(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), "stream");
      check(cudaEventCreateWithFlags(&ends[i], cudaEventDisableTiming), "event");
    }
  }
  static OwnStreams& of_this_thread() {
    static thread_local std::map<int, OwnStreams> all;
    int device = 0;
    check(cudaGetDevice(&device), "no device");
    return all[device];
  }
};

class Branches {
 public:
  /// With one branch it is the stream itself.
  Branches(cudaStream_t stream, bool several)
      : stream_(stream), own_(several ? &OwnStreams::of_this_thread() : nullptr) {
    if (own_ != nullptr) check(cudaEventRecord(own_->begin, stream_), "event");
  }
  cudaStream_t next() {
    if (own_ == nullptr) return stream_;
    const int i = count_++ % OwnStreams::kCount;
    if (count_ <= OwnStreams::kCount) check(cudaStreamWaitEvent(own_->streams[i], own_->begin), "event");
    return own_->streams[i];
  }
  /// What comes next in the stream comes after all branches, also where an error ends the work: memory that they use is
  /// given back in the stream.
  ~Branches() {
    for (int i = 0; i < count_ && i < OwnStreams::kCount; ++i) {
      cudaEventRecord(own_->ends[i], own_->streams[i]);
      cudaStreamWaitEvent(stream_, own_->ends[i]);
    }
  }
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;

 private:
  cudaStream_t stream_;
  OwnStreams* own_;
  int count_ = 0;
};

}  // namespace kirchhoff::cuda
