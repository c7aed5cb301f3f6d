// Gives the fields of a query to the options of a verb, and the lines of a body to what the verb answers lines with.
#include "verbs/serve_lines.hpp"

#include "answers/guarded.hpp"
#include "json/fields.hpp"
#include "usage_error.hpp"
#include "verbs/questions.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff::cli {
namespace {

using server::Answer;
using server::HttpError;
using server::Request;

/// The option as a query names it: without hyphens before it.
std::string bare(std::string text) {
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    if (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\'')
      text.erase(at, 2);
    else
      ++at;
  }
  return text;
}

/// The options that a query may have: those of the verb, but for names of files.
std::vector<std::string> option_names(const CLI::App& app, const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (std::string name : option->get_lnames()) {
      std::replace(name.begin(), name.end(), '-', '_');
      if (std::find(files.begin(), files.end(), name) == files.end()) names.push_back(name);
    }
  }
  return names;
}

/// Reads the options of a query as if they stood on a command line. Throws HttpError.
void read_query(CLI::App& app, std::string_view query, const std::vector<std::string>& files = {},
                std::vector<std::string> arguments = {}) {
  const std::vector<std::string> known = option_names(app, files);
  for (auto& [name, value] : server::form_fields(query)) {
    std::replace(name.begin(), name.end(), '-', '_');
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw HttpError(400, fmt::format("query: there is no option of this name; there are {}", fmt::join(known, ", ")));
    }
    std::replace(name.begin(), name.end(), '_', '-');
    const bool is_flag = app.get_option("--" + name)->get_expected_max() == 0;
    if (is_flag && value == "false") continue;
    if (is_flag && value != "true" && !value.empty()) {
      throw HttpError(400, fmt::format("{}: take true or false", name));
    }
    arguments.push_back(is_flag ? "--" + name : fmt::format("--{}={}", name, value));
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& e) {
    throw HttpError(400, bare(e.what()));
  }
}

template <class Read>
auto in_words_of_a_query(Read read) {
  try {
    return read();
  } catch (const UsageError& e) {
    throw HttpError(400, bare(e.what()));
  }
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

Answer answer_lines(ReadLineQuestions (*add)(CLI::App&), int max_trees, const Request& request) {
  CLI::App app;
  app.set_help_flag("");
  const ReadLineQuestions read = add(app);
  read_query(app, request.query);
  const LineQuestions questions = in_words_of_a_query([&] { return read(request.stop); });
  if (questions.trees > max_trees) {
    throw HttpError(400,
                    fmt::format("{} trees are too many for one request; take {} at most", questions.trees, max_trees));
  }
  Answer answer;
  answer.content_type = "application/jsonl";
  std::size_t number = 0, index = 0;
  for (std::size_t at = 0; at < request.body.size();) {
    const std::size_t end = std::min(request.body.find('\n', at), request.body.size());
    std::string_view line = request.body.substr(at, end - at);
    at = end + 1;
    ++number;
    if (is_blank(line)) continue;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const LineAnswer one = questions.answer(line, index++);
    if (request.stop()) throw Stopped();
    if (one.status == LineAnswer::Status::bug) throw std::logic_error(one.message);
    if (one.ends_run(false)) throw HttpError(400, fmt::format("line {}: {}", number, one.message));
    answer.body += one.output;
  }
  return answer;
}

/// The options of `wfsm` that name files, which are fields of a JSON body here.
const std::vector<std::string> kMachineTexts = {"isymbols", "osymbols",  "features", "second_features",
                                                "other",    "intersect", "compose"};

/// The texts of the body, by name. A body that is no object is the machine.
std::map<std::string, std::string> machine_texts(const Request& request) {
  if (server::media_type(request.content_type) != "application/json") return {{"machine", std::string(request.body)}};
  std::map<std::string, std::string> texts;
  for_each_field(
      request.body, R"({"machine":"0 1 1\n1\n"})", [&](std::string_view key, JsonValue value, JsonPlace& place) {
        const bool known =
            key == "machine" || std::find(kMachineTexts.begin(), kMachineTexts.end(), key) != kMachineTexts.end();
        if (!known) fail(place, fmt::format("unknown field; there are machine, {}", fmt::join(kMachineTexts, ", ")));
        if (!texts.emplace(key, read_string(value, place)).second) fail(place, "given twice");
      });
  if (texts.count("machine") == 0) throw HttpError(400, "machine: is missing");
  return texts;
}

Answer answer_machine(int max_count, const Request& request) {
  const std::map<std::string, std::string> texts = machine_texts(request);
  std::vector<std::string> arguments = {"machine"};
  for (const auto& [name, text] : texts) {
    std::string option = name;
    std::replace(option.begin(), option.end(), '_', '-');
    if (name != "machine") arguments.push_back(fmt::format("--{}={}", option, name));
  }
  CLI::App app;
  app.set_help_flag("");
  const AnswerMachine answer = add_machine_questions(app);
  read_query(app, request.query, kMachineTexts, std::move(arguments));
  return in_words_of_a_query([&] {
    const ReadText read = [&](const std::string& name) { return texts.at(name); };
    return Answer{200, answer(read, max_count)};
  });
}

}  // namespace

void add_line_routes(server::Router& router, int max_trees) {
  const auto add = [&](std::string path, server::Handler handler) {
    router.add({server::Method::post, std::move(path), std::move(handler), server::Effort::work});
  };
  const auto add_lines = [&](std::string path, ReadLineQuestions (*questions)(CLI::App&)) {
    add(std::move(path), [=](const Request& request) { return answer_lines(questions, max_trees, request); });
  };
  add_lines("/v1/tree", add_tree_questions);
  add_lines("/v1/decode", add_decode_questions);
  add_lines("/v1/sample", add_sample_questions);
  add_lines("/v1/solve", add_solve_questions);
  add("/v1/wfsm", [=](const Request& request) { return answer_machine(max_trees, request); });
}

}  // namespace kirchhoff::cli
