// Sums over split points for all spans of a sentence: the inside and the outside pass of Eisner's algorithm.
//
// A chart has a row for each width w, which holds the spans [a, a + w] by their first node a. All spans of one width
// are independent of each other, so vectors lie along a row, and every sum over split points is a loop over whole
// vectors without a reduction. Graphs of a batch may lie side by side (`step` of them) with the same arithmetic, so
// that a graph has the same answers alone and in a batch.
#pragma once

#include <cstddef>

namespace kirchhoff::projective {

/// Zeros behind each row, so that vectors may reach beyond it.
constexpr std::size_t kRowPad = 8;
/// Values below are set to 0: their products stay normal doubles. What is lost is bounded (fast.cpp).
constexpr double kNegligibleSpan = 0x1p-511;

/// Charts in memory. Values are jets with `components` numbers: 1 is a value, 2 has a tangent, 4 has tangents along two
/// directions and the mixed second derivative. Component c of a chart begins `size` doubles behind component c - 1.
struct SpanCharts {
  std::size_t nodes = 0;
  std::size_t step = 1;
  int components = 1;
  std::size_t size = 0;
  const std::size_t* rows = nullptr;                       // where the row of each width begins
  double *weight_right = nullptr, *weight_left = nullptr;  // of the arc between a span's ends
  double *right = nullptr, *left = nullptr;                // complete spans, headed by their first or last node
  double *arc_right = nullptr, *arc_left = nullptr;        // incomplete spans: the arc, and all it covers
  double *right_bar = nullptr, *left_bar = nullptr;        // derivatives of Z with respect to complete spans
  double* split_bar = nullptr;                             // and to the sum over split points below an arc
};

/// Replaces numbers x <= 0, or -inf, by their exponentials; results below the normal doubles are 0.
void exponentials(double* x, std::size_t size);
/// Fills `right`, `left`, `arc_right` and `arc_left` from the weights. All else in these charts must be 0.
/// 1/2 nodes^3 multiplications for each pair of components.
void inside_spans(const SpanCharts& charts);
/// Fills the outside charts; `right_bar` and `left_bar` begin with the derivatives of Z with respect to the spans it
/// consists of, and 0 elsewhere. The weights are replaced by arc * derivative with respect to it, which is marginal *
/// Z. nodes^3 multiplications for each pair of components.
void outside_spans(const SpanCharts& charts);

}  // namespace kirchhoff::projective
