// Ten lines with trees: who heads whom in "She saw stars", with one root child.
#include <kirchhoff/kirchhoff.hpp>

#include <iostream>

int main() {
  const double no = -std::numeric_limits<double>::infinity();  // an impossible arc
  kirchhoff::Matrix scores(4, 4);  // (head, dependent); 0 = root, 1 = She, 2 = saw, 3 = stars
  scores << no, 0.1, 2.0, 0.3, no, no, 0.2, 0.1, no, 3.0, no, 2.5, no, 0.4, 0.5, no;
  const kirchhoff::TreeDistribution p(scores, kirchhoff::Root::single);
  std::cout << "log Z   " << p.log_partition() << "\nentropy " << kirchhoff::entropy(p) << " nats\n";
  std::cout << "p(saw -> stars) " << p.marginals()(2, 3) << ", given that She heads saw "
            << p.require({1, 2}).marginals()(2, 3) << '\n';
  const kirchhoff::Gold gold{{-1, 2, 0, 2}, {}};
  std::cout << "gold: log p " << p.log_prob(gold.heads) << ", expected attachment score " << kirchhoff::risk(p, gold)
            << '\n';
  std::cout << "gradient of the entropy\n" << kirchhoff::entropy_gradient(p) << '\n';
}
