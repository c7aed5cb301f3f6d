// Turns what goes wrong with one line of input into the answer to that line.
#pragma once

#include "io/line_answer.hpp"

#include <functional>

namespace kirchhoff::cli {

/// Calls `make`, and turns what it throws because of the line into an answer.
LineAnswer guarded(const std::function<LineAnswer()>& make);

}  // namespace kirchhoff::cli
