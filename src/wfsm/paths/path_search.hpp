// The search for the k best paths of a graph, whatever its costs stand for.
#pragma once

#include "wfsm/machine/trim_graph.hpp"

#include <cstddef>
#include <queue>
#include <vector>

namespace kirchhoff::wfsm {

/// Costs must be >= 0, one for each arc of the graph, which must stay alive. O(arcs log arcs) at the start.
class PathSearch {
 public:
  PathSearch(const TrimGraph& graph, std::vector<double> cost);

  /// The arcs of the next path in ascending order of cost, from source to sink. Returns an empty list when all paths
  /// have been given. O(length log).
  std::vector<std::size_t> next();

 private:
  static constexpr int kStart = -1;
  struct Distances {
    std::vector<double> to_sink;
    /// The order in which the nodes were reached from the sink: breaks ties, and cycles of cost 0.
    std::vector<int> rank;
  };
  struct Way {
    double loss;
    std::size_t arc;
  };
  struct Prefix {
    int parent;
    std::size_t arc;
  };
  struct Candidate {
    double loss;
    std::size_t serial;
    int prefix, node;
    std::size_t rank;
    double before;  ///< the loss of the prefix
  };
  /// Of equal candidates the latest comes first, because it is closest to its end.
  struct Later {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.loss != b.loss ? a.loss > b.loss : a.serial < b.serial;
    }
  };

  Distances distances() const;
  const std::vector<Way>& ways(int node);
  void push(int prefix, int node, std::size_t rank, double before);
  std::vector<std::size_t> arcs_of(int prefix) const;

  const TrimGraph& graph_;
  std::vector<double> cost_;
  std::vector<std::vector<Way>> ways_;
  Distances distances_;
  std::vector<Prefix> prefixes_;
  std::priority_queue<Candidate, std::vector<Candidate>, Later> queue_;
  std::size_t serial_ = 0;
};

}  // namespace kirchhoff::wfsm
