// Times log Z and marginals of batches on a CUDA device, where the scores lie in its memory: to the end of the work
// that a call leaves there, without what the call itself takes.
//
// Usage: bench_cuda [DATA MODEL...]
// With a treebank and models also of their arc scores for its sentences of 5 to 50 words.
#include "device_array.hpp"
#include "experiments/measuring.hpp"

#include <kirchhoff/cuda.hpp>
#include <kirchhoff/parser.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace kirchhoff::bench {
namespace {

constexpr int kGraphs = 4096, kRuns = 20;

Matrix normal_scores(Eigen::Index nodes, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(nodes, nodes, [&] { return normal(random); });
}

/// Prints the time of a graph of a batch, which is padded if the graphs have different sizes.
void measure(const std::string& name, const std::vector<Matrix>& graphs, const Accuracy& accuracy) {
  Eigen::Index nodes = 0;
  std::vector<std::int32_t> words;
  for (const Matrix& scores : graphs) {
    words.push_back(static_cast<std::int32_t>(scores.rows()) - 1);
    nodes = std::max(nodes, scores.rows());
  }
  std::vector<double> padded(graphs.size() * nodes * nodes, 0.0);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (Eigen::Index head = 0; head < graphs[i].rows(); ++head) {
      std::copy_n(graphs[i].row(head).data(), graphs[i].cols(), &padded[(i * nodes + head) * nodes]);
    }
  }
  const bool same_size = std::all_of(words.begin(), words.end(), [&](int n) { return n == words[0]; });
  DeviceArray<double> scores(padded.size()), marginals(padded.size()), log_partition(graphs.size());
  DeviceArray<std::int32_t> lengths(graphs.size());
  DeviceArray<cuda::GraphStatus> status(graphs.size());
  scores.send(padded);
  lengths.send(words);
  cuda::BatchQuestion question{.root = Root::single, .graphs = static_cast<std::int64_t>(graphs.size())};
  question.words = static_cast<int>(nodes) - 1;
  question.lengths = same_size ? nullptr : lengths.get();
  question.scores = cuda::contiguous(scores.get(), question.words);
  question.marginals = cuda::contiguous(marginals.get(), question.words);
  question.log_partition = log_partition.get();
  question.accuracy = accuracy;
  question.status = status.get();
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times(kRuns);
  for (float& time : times) {
    check(cudaEventRecord(begin));
    cuda::answer(question);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&time, begin, end));
  }
  std::sort(times.begin(), times.end());
  const std::vector<cuda::GraphStatus> found = status.fetch();
  const auto certified = std::count(found.begin(), found.end(), cuda::GraphStatus::certified);
  std::printf("%-44s %9.4f us a graph, %5.1f %% certified\n", name.c_str(),
              1e3 * times[kRuns / 2] / static_cast<double>(graphs.size()),
              100.0 * static_cast<double>(certified) / static_cast<double>(graphs.size()));
  std::fflush(stdout);
}

void measure_model(const std::string& path, const std::vector<kirchhoff::Sentence>& sentences) {
  Parser parser(ParserModel::open(path));
  std::vector<Matrix> graphs;
  while (graphs.size() < kGraphs) {
    for (std::size_t i = 0; i < sentences.size() && graphs.size() < kGraphs; ++i) {
      graphs.push_back(parser.arc_scores(sentences[i]));
    }
  }
  const std::string name = std::filesystem::path(path).stem();
  const Accuracy usual = cuda::BatchQuestion{}.accuracy;
  measure(name, graphs, usual);
  measure(name + ", to 1e-11 absolute", graphs, {.tolerance = 1e-11, .floor = 1.0});
  measure(name + ", the robust method", graphs, {.method = Method::robust});
  std::mt19937_64 random(1);
  std::vector<Matrix> made_up;
  for (const Matrix& scores : graphs) made_up.push_back(normal_scores(scores.rows(), random));
  measure("N(0,1) of the same lengths", made_up, usual);
  std::stable_sort(graphs.begin(), graphs.end(), [](const auto& a, const auto& b) { return a.rows() < b.rows(); });
  measure(name + ", shortest first", graphs, usual);
}

void run(const std::vector<std::string>& arguments) {
  std::printf("%s, batches of %d graphs\n", cuda::description().c_str(), kGraphs);
  std::mt19937_64 random(1);
  for (const int n : {10, 15, 20, 25, 30, 40, 50, 75, 100, 125}) {
    std::vector<Matrix> graphs;
    for (int i = 0; i < kGraphs; ++i) graphs.push_back(normal_scores(n + 1, random));
    measure("N(0,1), n = " + std::to_string(n), graphs, cuda::BatchQuestion{}.accuracy);
    measure("N(0,1), n = " + std::to_string(n) + ", the robust method", graphs, {.method = Method::robust});
  }
  if (arguments.empty()) return;
  auto sentences = sentences_of(arguments[0]);
  std::erase_if(sentences, [](const auto& s) { return s.size() < 5 || s.size() > 50; });
  for (std::size_t m = 1; m < arguments.size(); ++m) measure_model(arguments[m], sentences);
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  return kirchhoff::bench::report_errors(argv[0], [&] { kirchhoff::bench::run({argv + 1, argv + argc}); });
}
