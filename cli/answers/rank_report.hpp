// What `rank` prints of a sentence: CoNLL-U, JSON, or the row of a table.
#pragma once

#include <kirchhoff/rank.hpp>

#include <span>
#include <string>

namespace kirchhoff::cli {

/// The sentence with its rank and its value as comments.
std::string rank_conllu(const RankedSentence& item, std::size_t rank, const RankOptions& options);
/// One line.
std::string rank_json(const RankedSentence& item, std::size_t rank, const RankOptions& options);
std::string rank_table(std::span<const RankedSentence> items, const RankOptions& options);

}  // namespace kirchhoff::cli
