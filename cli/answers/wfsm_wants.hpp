// What can be asked about a machine.
#pragma once

#include <kirchhoff/wfsm_expectation.hpp>
#include <kirchhoff/wfsm_text.hpp>
#include "answers/wants.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// A machine and what came with it.
struct WfsmSubject {
  WfsmBuilder builder;
  std::optional<Wfsm> machine;  ///< unless Z is infinite and no want is about a sum
  std::optional<WfsmFeatures> features, second_features;
  std::optional<Wfsm> other;  ///< of the same states and transitions
  std::uint64_t seed = 0;
  int threads = 0;
};

/// Reads "log_partition,paths=3,string=\"a b\"" or "all". Throws UsageError.
WantList parse_wfsm_wants(std::string_view list);

/// The largest number of paths, strings or samples that a want of the list asks for.
int largest_count(const WantList& wants);
/// Whether a want of the list draws samples.
bool wants_samples(const WantList& wants);
/// Whether a want of the list needs a finite Z.
bool wants_sums(const WantList& wants);
/// Whether a want of the list looks at features, at a second set of them, or at another machine.
bool wants_features(const WantList& wants);
bool wants_second_features(const WantList& wants);
bool wants_other(const WantList& wants);

/// Lines of help, one for each want.
std::string wfsm_wants_help();

/// Returns one line of JSON. Throws ReadError, "WANT: problem".
std::string answer_wfsm(const WfsmSubject& subject, const WantList& wants);

}  // namespace kirchhoff::cli
