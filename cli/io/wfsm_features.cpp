// Reads lines ARC FEATURE VALUE, or start|final STATE FEATURE VALUE, and checks that the arcs and states exist.
#include "io/wfsm_features.hpp"

#include "io/files.hpp"
#include "number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {
namespace {

/// Reads one line ARC FEATURE VALUE, or with start STATE or final STATE for ARC; returns false when it is blank.
bool read_feature(std::string_view line, const std::string& where, WfsmFeature& entry) {
  std::string_view fields[5];
  std::size_t count = 0;
  constexpr std::string_view kSpace = " \t\r";
  for (std::size_t at = line.find_first_not_of(kSpace); at != std::string_view::npos && count < 5; ++count) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    fields[count] = line.substr(at, end - at);
    at = line.find_first_not_of(kSpace, end);
  }
  if (count == 0) return false;
  const auto part = parse_name<WfsmPart>(fields[0]);
  const bool of_state = part && *part != WfsmPart::transition;
  const std::string_view* numbers = fields + (of_state ? 1 : 0);
  const auto index = parse_number<int>(numbers[0]);
  const auto feature = parse_number<int>(numbers[1]);
  const auto value = parse_number<double>(numbers[2]);
  if (count != (of_state ? 4 : 3) || !index || !feature || !value || !std::isfinite(*value)) {
    throw InputError(fmt::format("{}: expected ARC FEATURE VALUE, three numbers{}", where,
                                 of_state ? " after 'start' or 'final', where ARC is a state" : ""));
  }
  entry = {*index, *feature, *value};
  if (of_state) entry.part = *part;
  return true;
}

}  // namespace

WfsmFeatures read_wfsm_features(const std::string& file, const Wfsm& machine) {
  return wfsm_features_in(read_file(file), file, machine);
}

WfsmFeatures wfsm_features_in(std::string_view text, const std::string& file, const Wfsm& machine) {
  constexpr int kMaxFeatures = 1'000'000;
  std::vector<WfsmFeature> entries;
  int size = 0;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string where = fmt::format("{}:{}", file, ++number);
    WfsmFeature entry;
    if (read_feature(text.substr(at, end - at), where, entry)) {
      const bool of_arc = entry.part == WfsmPart::transition;
      const int most = of_arc ? static_cast<int>(machine.transitions().size()) : machine.states();
      if (entry.index < 0 || entry.index >= most) {
        throw InputError(
            fmt::format("{}: {} {} is not in 0..{}", where, of_arc ? "arc" : "state", entry.index, most - 1));
      }
      if (entry.feature < 0 || entry.feature >= kMaxFeatures) {
        throw InputError(fmt::format("{}: feature {} is not in 0..{}", where, entry.feature, kMaxFeatures - 1));
      }
      if (std::abs(entry.value) > 1e100) throw InputError(fmt::format("{}: value beyond 1e100", where));
      size = std::max(size, entry.feature + 1);
      entries.push_back(entry);
    }
    at = end + 1;
  }
  return {machine, size, entries};
}

}  // namespace kirchhoff::cli
