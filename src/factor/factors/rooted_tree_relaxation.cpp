// ROOTED-TREE: its relaxation, a flow through the steps of the dynamic programme. A step makes one cell of a table from
// one or two others; what makes a cell is as much as what uses it. As the cells that a step takes together are about
// different nodes, this describes the hull [Martin90].
#include "factor/factors/rooted_tree.hpp"

#include <utility>

namespace kirchhoff::factor {

Relaxation RootedTreeFactor::relaxation() const {
  using Row = Relaxation::Row;
  Relaxation result;
  std::vector<Row> cells(cells_);  // what makes each cell less what uses it
  for (Row& row : cells) row.lower = row.upper = 0.0;
  const auto step = [&](double cost) {
    result.costs.push_back(cost);
    return arity() + static_cast<int>(result.costs.size()) - 1;
  };
  const auto add_row = [&](double value) -> Row& {
    Row& row = result.rows.emplace_back();
    row.lower = row.upper = value;
    return row;
  };
  for (int i = 0; i < nodes(); ++i) {
    for (int a = 0; a < slots().states(i); ++a) {
      // An input is what its cell begins with; that of a binary variable that is 0 begins with the rest.
      const bool is_rest = slots().inputs[i] == 1 && a == 0;
      Row& row = may_count(i, a) ? cells[stages_[i][0].at(a, counts(i, a))] : add_row(0.0);
      row.terms.emplace_back(slots().first[i] + (slots().inputs[i] == 1 ? 0 : a), is_rest ? -1.0 : 1.0);
      if (is_rest) row.lower = row.upper = -1.0;
    }
    for (std::size_t m = 0; m < children_[i].size(); ++m) {
      const int j = children_[i][m];
      const Table &before = stages_[i][m], &after = stages_[i][m + 1], &up = ups_[j], &child = whole(j);
      Row both;
      both.lower = both.upper = 0.0;
      for (int a = 0; a < up.states; ++a) {
        for (int b = 0; b < child.states; ++b) {
          const double score = transitions_[place(j, a, b)];
          for (int c = 0; c < up.width && score != -HUGE_VAL; ++c) {
            const int column = step(score);
            cells[child.at(b, c)].terms.emplace_back(column, -1.0);
            cells[up.at(a, c)].terms.emplace_back(column, 1.0);
            if (a == 1 && b == 1) both.terms.emplace_back(column, 1.0);
          }
        }
        for (int c = 0; c < before.width; ++c) {
          for (int d = 0; d < std::min(up.width, after.width - c); ++d) {
            const int column = step(0.0);
            cells[before.at(a, c)].terms.emplace_back(column, -1.0);
            cells[up.at(a, d)].terms.emplace_back(column, -1.0);
            cells[after.at(a, c + d)].terms.emplace_back(column, 1.0);
          }
        }
      }
      if (both_input_[j] < 0) continue;
      both.terms.emplace_back(both_input_[j], -1.0);
      result.rows.push_back(std::move(both));
    }
    if (count_first_[i] < 0) continue;
    const Table &last = stages_[i][children_[i].size()], &scored = whole(i);
    for (int a = 0; a < scored.states; ++a) {
      for (int c = 0; c < scored.width; ++c) {
        if (count_score(i, c) == -HUGE_VAL) continue;
        const int column = step(count_score(i, c));
        cells[last.at(a, c)].terms.emplace_back(column, -1.0);
        cells[scored.at(a, c)].terms.emplace_back(column, 1.0);
      }
    }
  }
  Row all;
  all.lower = all.upper = 1.0;
  const Table& root = whole(order_[0]);
  for (int a = 0; a < root.states; ++a) {
    for (int c = 0; c < root.width; ++c) {
      const int column = step(0.0);
      cells[root.at(a, c)].terms.emplace_back(column, -1.0);
      all.terms.emplace_back(column, 1.0);
    }
  }
  result.rows.push_back(std::move(all));
  for (Row& row : cells) {
    if (!row.terms.empty()) result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace kirchhoff::factor
