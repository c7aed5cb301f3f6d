// Everything.
#pragma once

#include "kirchhoff/batch.hpp"
#include "kirchhoff/conllu.hpp"
#include "kirchhoff/decode.hpp"
#include "kirchhoff/draw.hpp"
#include "kirchhoff/evaluate.hpp"
#include "kirchhoff/expectation.hpp"
#include "kirchhoff/factor.hpp"
#include "kirchhoff/factor_graph.hpp"
#include "kirchhoff/parser.hpp"
#include "kirchhoff/sample.hpp"
#include "kirchhoff/tree.hpp"
#include "kirchhoff/types.hpp"
#include "kirchhoff/version.hpp"
#include "kirchhoff/wfsm.hpp"
#include "kirchhoff/wfsm_text.hpp"
