// What the fuzz targets ask about a line of `chain` or `segment`.
#pragma once

#include "answers/sequence_answers.hpp"
#include "line_answers.hpp"

#include <string_view>

namespace kirchhoff::cli {

inline void ask_all(const SequenceAnswers& answers, std::string_view line) {
  const auto ask = [&](Method method, std::string_view wants, UnknownFields unknown) {
    simdjson::dom::parser parser;
    checked(answers.answer(line, 0, {method, unknown, 0, parse_wants(wants, answers.forms)}), "length", parser);
  };
  for (const char* wants : {"all", "k_best=5,samples=3,distinct=4,renyi=0.5", "cumulants=4"}) {
    ask(Method::automatic, wants, UnknownFields::allowed);
  }
  ask(Method::robust, "all", UnknownFields::allowed);
  ask(Method::automatic, "log_partition", UnknownFields::refused);
}

}  // namespace kirchhoff::cli
