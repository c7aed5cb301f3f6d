// Before timing anything: do the baselines and the library agree, and did the method run that we mean to time?
#pragma once

#include <string>

namespace kirchhoff::bench {

/// Prints "bench: <what>" and exits with status 1 unless `fine`.
void require(bool fine, const std::string& what);

/// Exits unless `difference` <= 1e-9.
void require_agreement(double difference, const std::string& what);

/// Every baseline against the library, up to 25 words.
void check_baselines();

/// Methods and scalars of the graphs that the bars use.
void check_reports();

}  // namespace kirchhoff::bench
