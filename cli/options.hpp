// Options that several verbs share, each with one name, one meaning and one help text.
#pragma once

#include "io/output.hpp"
#include "io/run_lines.hpp"
#include "io/treebank_input.hpp"
#include "json/fields.hpp"
#include "number.hpp"

#include <kirchhoff/accuracy.hpp>
#include <kirchhoff/names.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kirchhoff::cli {

/// An option that takes one of `names`, where hyphens may stand for underscores. `set` gets the name's index.
CLI::Option* add_names(CLI::App& verb, const std::string& option, const std::string& help,
                       std::span<const std::string_view> names, const std::function<void(std::size_t)>& set);

/// An option that takes the name of an enum's value. `Value` is the enum, or an optional of it.
template <NamedEnum Enum, class Value>
CLI::Option* add_choice_of(CLI::App& verb, const std::string& option, Value& value, const std::string& help) {
  return add_names(verb, option, help, kNames<Enum>, [&value](std::size_t i) { value = static_cast<Enum>(i); });
}
template <NamedEnum Enum>
CLI::Option* add_choice(CLI::App& verb, const std::string& option, Enum& value, const std::string& help) {
  return add_choice_of<Enum>(verb, option, value, help);
}
template <NamedEnum Enum>
CLI::Option* add_choice(CLI::App& verb, const std::string& option, std::optional<Enum>& value,
                        const std::string& help) {
  return add_choice_of<Enum>(verb, option, value, help);
}

/// An option that takes a number of a range, and hands it to `set`; `placeholder` stands for it in the help. All
/// numbers of all verbs come this way.
template <class Number>
CLI::Option* add_number_function(CLI::App& verb, const std::string& option, const std::function<void(Number)>& set,
                                 const std::string& placeholder, const NumberRange& range, const std::string& help) {
  const auto take = [set](const std::string& text) { set(parse_number<Number>(text).value()); };
  const auto check = [range](const std::string& text) { return number_problem<Number>(text, range); };
  return verb.add_option_function<std::string>(option, take, help)
      ->type_name(placeholder)
      ->check(CLI::Validator(check, ""));
}
template <class Number>
CLI::Option* add_number(CLI::App& verb, const std::string& option, Number& value, const std::string& placeholder,
                        const NumberRange& range, const std::string& help) {
  return add_number_function<Number>(
      verb, option, [&value](Number x) { value = x; }, placeholder, range, help);
}
template <class Number>
CLI::Option* add_number(CLI::App& verb, const std::string& option, std::optional<Number>& value,
                        const std::string& placeholder, const NumberRange& range, const std::string& help) {
  return add_number_function<Number>(
      verb, option, [&value](Number x) { value = x; }, placeholder, range, help);
}

/// An option that takes text; `placeholder` stands for it in the help.
CLI::Option* add_text(CLI::App& verb, const std::string& option, std::string& value, const std::string& placeholder,
                      const std::string& help);

/// An option that names a file to read. The empty name is bad usage: it is what a script gives whose variable is not
/// set, and neither standard input nor no file is what its author meant.
CLI::Option* add_input_file(CLI::App& verb, const std::string& option, std::string& file,
                            const std::string& placeholder, const std::string& help);

/// Throws UsageError when two of these options, each with the file it names, read standard input: only one would get
/// anything.
void check_one_standard_input(std::initializer_list<std::pair<std::string_view, std::string_view>> inputs);

/// The file that a verb reads, which is named without an option.
CLI::Option* add_file(CLI::App& verb, std::string& file, const std::string& content);

/// --root of the verbs that take scores, which has no default there.
void add_required_root(CLI::App& verb, Root& root);
/// --projective.
void add_projective(CLI::App& verb, bool& projective);
/// --method and --tolerance.
void add_accuracy(CLI::App& verb, Accuracy& accuracy);
/// --floor, for trees.
void add_floor(CLI::App& verb, Accuracy& accuracy);
/// --seed; `what` is what the random numbers decide.
void add_seed(CLI::App& verb, std::uint64_t& seed, const std::string& what);
void add_threads(CLI::App& verb, int& threads, const std::string& more = "");
/// --shard of the verbs that read a file of sentences.
CLI::Option* add_shard(CLI::App& verb, Shard& shard);
void add_quiet(CLI::App& verb, bool& quiet, const std::string& what);
/// --allow-unknown of the verbs that read JSON.
void add_unknown(CLI::App& verb, UnknownFields& unknown);
/// How much text is taken into memory at once; `what` is refused if longer, as in "lines that are".
void add_max_mb(CLI::App& verb, const std::string& option, std::size_t& mb, const std::string& what);
/// --max-line-mb, --quiet and FILE.
void add_input(CLI::App& verb, InputOptions& input, bool& quiet);
/// --threads, --strict and those of add_input; `without` says which graphs --strict stops at.
void add_lines(CLI::App& verb, LineOptions& lines,
               const std::string& without = "the first graph that has no tree or no answer");
/// --from, --root and --skip-bad.
void add_treebank(CLI::App& verb, TreebankOptions& input);
/// --html and --svg.
void add_pictures(CLI::App& verb, PictureOptions& pictures, const std::string& what);

}  // namespace kirchhoff::cli
