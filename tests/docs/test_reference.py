"""The generator of the C++ reference: what a page has and what it leaves out."""

import re
import sys

import pytest

from pages import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "docs"))
import cpp_reference  # noqa: E402

HEADER = """// Ducks, in rows. They swim.
//
//   Duck duck = find();
#pragma once

namespace kirchhoff {

namespace detail {
struct Hidden;
}  // namespace detail

/// How a duck swims.
enum class Gait {
  slow,  ///< with one foot
  fast,  ///< with both | at once
};

/// A duck, see *bird.
class Duck {
 public:
  explicit Duck(int feet) : feet_(feet) {}
  Duck(Duck&&) noexcept;
  /// Its speed.
  double speed() const { return 2.0 * feet_; }

 private:
  int feet_;
};

/// One of them.
Duck find(int tries = 3);
/// The best of several.
Duck find(const std::vector<Duck>& ducks,
          Gait gait);

}  // namespace kirchhoff
"""


def test_page(tmp_path):
    (tmp_path / "duck.hpp").write_text(HEADER)
    page = cpp_reference.page(tmp_path / "duck.hpp")
    assert re.findall(r"^#+ .*$", page, re.M) == ["# duck.hpp", "## `Gait`", "## `Duck`", "## `find`"]
    assert "```cpp\nDuck duck = find();\n```" in page
    assert "| `fast` | with both \\| at once |" in page
    assert "```cpp\nexplicit Duck(int feet);\n```" in page and "```cpp\ndouble speed() const;\n```\nIts speed." in page
    assert page.count("## `find`") == 1 and "One of them." in page and "          Gait gait);" in page
    assert not re.search(r"Hidden|feet_|Duck&&|private", page)
    assert cpp_reference.summary(tmp_path / "duck.hpp") == "Ducks, in rows."


@pytest.mark.parametrize("header", sorted((ROOT / "include" / "kirchhoff").glob("*.hpp")), ids=lambda path: path.name)
def test_headers_have_pages(header):
    page = cpp_reference.page(header)
    titles = re.findall(r"^##+ (.*)$", re.sub(r"```.*?```", "", page, flags=re.S), re.M)
    assert header.name == "kirchhoff.hpp" or titles
    for name in ", ".join(titles).split(", ") if titles else []:
        assert re.fullmatch(r"`([\w:]+(<\w+>)?|operator\S+)`", name)
    assert cpp_reference.summary(header).endswith(".")
