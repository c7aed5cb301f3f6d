// The engine of --want: tables of what can be asked, and lists such as `log_partition,renyi=2,string="a b"`.
#pragma once

#include "json/writer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// What the argument of a want may be, as in renyi=2. A list has whole numbers, with spaces between them.
struct ArgumentRule {
  enum class Kind { none, number, whole_number, list, text } kind = Kind::none;
  double low = 0.0, high = 0.0;   ///< Numbers are from low to high.
  bool low_allowed = true;        ///< False where a number must be above low.
  double forbidden = -1.0;        ///< One more number that is not allowed.
  std::string_view allowed = {};  ///< What is allowed, in words, for messages.
};

/// The order M of moments=M and cumulants=M.
inline constexpr ArgumentRule kMaxOrder{ArgumentRule::Kind::whole_number, 1, 30, true, -1,
                                        "a whole number from 1 to 30"};

/// The name of a want and everything else that does not depend on what it is asked about.
struct WantForm {
  std::string_view name;
  std::string_view help;
  unsigned needs = 0;              ///< A bit for each input that the answer needs; the table says which.
  std::string_view argument = {};  ///< What stands for the argument in help and messages, as in renyi=ALPHA.
  ArgumentRule rule = {};
  bool bulky = false;  ///< The answer is much larger than the question, and not a part of "all".
};

/// One item of --want.
struct Ask {
  std::size_t want = 0;  ///< The row of the table.
  double number = 0.0;
  std::vector<int> list;
  std::string text;
};

/// A whole --want: the items, or "all", which stands for whatever the input has the fields for.
struct WantList {
  std::vector<Ask> asks;
  bool all = false;
};

/// One row of a table: the form, and the function that writes the answer about a Subject.
template <class Subject>
struct Want {
  WantForm form;
  void (*write)(const Subject& subject, const Ask& ask, JsonWriter& out);
};

/// One table of several.
template <class Subject, std::size_t... rows>
constexpr std::array<Want<Subject>, (rows + ...)> joined(const std::array<Want<Subject>, rows>&... tables) {
  std::array<Want<Subject>, (rows + ...)> all;
  auto end = all.begin();
  ((end = std::copy(tables.begin(), tables.end(), end)), ...);
  return all;
}

template <class Subject, std::size_t rows>
constexpr std::array<WantForm, rows> forms_of(const std::array<Want<Subject>, rows>& table) {
  std::array<WantForm, rows> forms;
  for (std::size_t i = 0; i < rows; ++i) forms[i] = table[i].form;
  return forms;
}

/// The words of a text, between spaces.
std::vector<std::string_view> words_in(std::string_view text);

/// Reads a list of wants. Throws UsageError.
WantList parse_wants(std::string_view list, std::span<const WantForm> forms);

/// The wants of a list. Those of "all" have no argument, are not bulky, and need no more than the inputs `given`.
std::vector<Ask> asks_of(const WantList& list, std::span<const WantForm> forms, unsigned given);

/// True when the answer is much larger than the question, so that few answers should be held at once.
bool is_bulky(const WantList& list, std::span<const WantForm> forms);

/// Lines of help, one for each want. `inputs` names what the bits of WantForm::needs stand for.
std::string wants_help(std::span<const WantForm> forms, std::span<const std::string_view> inputs);

/// Writes the answers to all asks as fields of an open object.
template <class Subject, std::size_t rows>
void write_answers(const std::array<Want<Subject>, rows>& table, const Subject& subject, const std::vector<Ask>& asks,
                   JsonWriter& out) {
  for (const Ask& ask : asks) {
    const Want<Subject>& want = table[ask.want];
    out.key(want.form.name);
    in_field<InputError>(want.form.name, [&] { want.write(subject, ask, out); });
  }
}

}  // namespace kirchhoff::cli
