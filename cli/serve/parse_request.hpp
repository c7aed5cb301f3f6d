// What POST /v1/parse asks for.
#pragma once

#include <kirchhoff/decode.hpp>
#include <kirchhoff/names.hpp>
#include <kirchhoff/types.hpp>
#include "server/message.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

enum class AnswerFormat { json, conllu, displacy, svg };

/// What a constraint says of an arc.
enum class ArcRule { require, forbid };

/// An arc of a sentence that must, or must not be in its tree. Sentences count from 0.
struct ArcConstraint {
  int sentence = -1, word = -1, head = -1;
  ArcRule rule = ArcRule::require;
};

struct ParseRequest {
  std::optional<std::string> text, conllu;  ///< One of them is given.
  std::string model;                        ///< Empty: the default.
  bool probabilities = false;
  bool tag = false;  ///< The tags of CoNLL-U are replaced by the model's.
  bool projective = false;
  std::optional<Root> root;
  int k_best = 0, samples = 0;
  std::uint64_t seed = 0;
  std::vector<ArcConstraint> constraints;
  AnswerFormat format = AnswerFormat::json;
};

/// Reads the body: JSON, or text with all other fields in the query. Throws ReadError and HttpError.
ParseRequest read_parse_request(const server::Request& request, int max_trees);

}  // namespace kirchhoff::cli

namespace kirchhoff {

template <>
inline constexpr std::array<std::string_view, 4> kNames<cli::AnswerFormat> = {"json", "conllu", "displacy", "svg"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<cli::ArcRule> = {"require", "forbid"};

}  // namespace kirchhoff
