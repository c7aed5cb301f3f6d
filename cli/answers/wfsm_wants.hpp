// What can be asked of a machine: one table of names, each with the library call that answers it.
#pragma once

#include "json/writer.hpp"

#include <kirchhoff/wfsm_text.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// A machine and what came with it.
struct WfsmProblem {
  Wfsm machine;
  std::optional<WfsmFeatures> features;
  std::uint64_t seed = 0;
  int threads = 1;
};

struct WfsmAsk {
  std::size_t want = 0;  ///< row of the table
  int number = 0;        ///< of =M and =K
  std::string text;      ///< of string=
};

/// "log_partition,paths=3,string=\"a b\"". Throws UsageError.
std::vector<WfsmAsk> parse_wfsm_wants(std::string_view list);

/// Lines of help, one per want.
std::string wfsm_wants_help();

/// One line of JSON. Throws InputError, "WANT: problem".
std::string answer_wfsm(const WfsmProblem& problem, const std::vector<WfsmAsk>& asks);

}  // namespace kirchhoff::cli
