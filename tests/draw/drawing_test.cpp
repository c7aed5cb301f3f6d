// What is drawn: which arcs, which figures; the pictures themselves are tested on the command line.
#include <gtest/gtest.h>
#include <kirchhoff/draw.hpp>

#include <cmath>

namespace kirchhoff {
namespace {

TEST(Drawing, KeepsTheLikelyArcsAndTheBestOfEachWord) {
  Matrix scores = Matrix::Zero(4, 4);
  scores(0, 1) = 3.0;
  const TreeDistribution p(scores, Root::multi);
  const Matrix marginals = p.marginals();
  const double least = 0.3;
  const Drawing drawing = drawing_of(p, {"a", "b", "c"}, least);
  EXPECT_EQ(drawing.text, "a b c");
  std::size_t expected = 0;
  for (int d = 1; d <= 3; ++d) {
    int above = 0;
    for (int h = 0; h <= 3; ++h) above += h != d && marginals(h, d) >= least;
    expected += std::max(above, 1);
  }
  EXPECT_EQ(drawing.arcs.size(), expected);
  for (const DrawnArc& arc : drawing.arcs) {
    EXPECT_EQ(*arc.probability, marginals(arc.head, arc.dependent));
    const double highest = marginals.col(arc.dependent).maxCoeff();
    if (arc.best) {
      EXPECT_EQ(*arc.probability, highest);
    }
  }
  EXPECT_THROW(drawing_of(p, {"a"}, least), InputError);
  EXPECT_EQ(drawing_of(p, {}, least).words[3], "3");
}

TEST(Drawing, LogPartitionOfLabelledGraphs) {
  LabelledMatrix scores(2, 2, 100.0);
  const Drawing drawing = drawing_of(LabelledTreeDistribution(scores, Root::multi), {});
  EXPECT_NEAR(drawing.facts->log_partition, 200.0 + std::log(3.0 * 4.0), 1e-12);  // three trees, four labellings each
}

TEST(Drawing, SentencesThatCannotBeDrawn) {
  Sentence sentence({"a", "b"});
  sentence.set_head(1, 2);
  EXPECT_THROW(drawing_of(sentence), InputError);  // word 2 has no head
  sentence.set_head(2, 0);
  EXPECT_EQ(drawing_of(sentence).arcs.size(), 2U);
  sentence.set(1, Column::misc, "ArcProb=1.5");
  EXPECT_THROW(drawing_of(sentence), InputError);
  sentence.set_head(2, 3);
  EXPECT_THROW(drawing_of(sentence), InputError);
}

}  // namespace
}  // namespace kirchhoff
