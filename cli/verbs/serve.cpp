// The verb `serve` answers requests over HTTP with the models it is given, and shows a page to try them.
#include "io/files.hpp"
#include "io/terminal.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "serve/api.hpp"
#include "serve/log.hpp"
#include "server/server.hpp"
#include "usage_error.hpp"
#include "verbs/serve_lines.hpp"
#include "verbs/verbs.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(The page is at the address that is printed; http://ADDRESS/v1/openapi.json describes the interface for programs.
SIGTERM ends the program when what is running is answered, and SIGHUP opens the models again. Manual:
docs/guides/server.md

Examples:
  kirchhoff serve --model pipeline.model
  curl -H 'Content-Type: text/plain' --data 'She saw the man.' 'http://127.0.0.1:8080/v1/parse?probabilities=true'
)";

struct ServeOptions {
  std::vector<std::string> models;
  ModelMemory memory = ModelMemory::mapped;
  server::ServerOptions server;
  AnswerLimits limits;
  int threads = 0;
  std::string token_file;
  LogLevel log = LogLevel::requests;
  double body_mb = 1, request_time = 10, client_time = 10;
};

std::string read_token(const std::string& file) {
  std::string token = read_file(file, 1);
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
  const bool plain = std::all_of(token.begin(), token.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
  if (token.empty() || !plain) {
    throw FileError(fmt::format("{}: a token is one line of letters, digits and signs, without blanks", file));
  }
  return token;
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<long>(seconds * 1000));
}

/// Says why the program ends when pages of a mapped file are gone; then the system ends it.
void explain_lost_pages(int signal) {
  constexpr std::string_view kWhy =
      R"({"event":"error","message":"a model's file was written to while it was open; replace files by renaming"})"
      "\n";
  (void)!::write(STDERR_FILENO, kWhy.data(), kWhy.size());
  std::signal(signal, SIG_DFL);
}

int run(ServeOptions& options) {
  server::ServerOptions& how = options.server;
  how.threads = options.threads > 0 ? static_cast<std::size_t>(options.threads)
                                    : std::max(1U, std::thread::hardware_concurrency());
  how.limits.body_bytes = static_cast<std::size_t>(options.body_mb * (1 << 20));
  how.limits.request_time = milliseconds(options.request_time);
  how.limits.client_time = milliseconds(options.client_time);
  if (!options.token_file.empty()) how.token = read_token(options.token_file);

  std::vector<ModelSource> sources;
  for (const std::string& text : options.models) sources.push_back(model_source(text));
  if (options.memory == ModelMemory::mapped) std::signal(SIGBUS, explain_lost_pages);
  ModelStore models(std::move(sources), options.memory);
  std::unique_ptr<server::Metrics> metrics;
  server::Router router = make_router(models, options.limits, metrics);
  add_line_routes(router, options.limits.trees);
  metrics = std::make_unique<server::Metrics>(router);
  ServerLog log(options.log);
  server::ServerHooks hooks{error_answer, failure_answer};
  if (options.log == LogLevel::requests) hooks.log = [&log](const server::LogEntry& entry) { log.request(entry); };
  hooks.reload = [&] {
    try {
      models.reload();
      log.event("reloaded", fmt::format("{} models", models.current()->size()));
    } catch (const std::exception& e) {
      log.event("not_reloaded", e.what());
    }
  };
  hooks.started = [&](const std::string& address) {
    if (!server::is_loopback(how.host)) {
      log.event("warning", how.token.empty() ? "anybody who reaches this machine can send requests; see --token-file"
                                             : "other machines can send requests, and there is no encryption");
    }
    log.event("started", address);
    if (options.log == LogLevel::none) return;
    complain(fmt::format("open {} in a browser; Ctrl-C ends the program", address));
  };
  server::Server(how, router, *metrics, hooks).run();
  log.event("ended", "all requests were answered");
  return 0;
}

}  // namespace

Action add_serve(CLI::App& verb) {
  auto options = std::make_shared<ServeOptions>();
  server::ServerOptions& how = options->server;
  verb.add_option("--model", options->models,
                  "A model file, as 'kirchhoff train' writes it; may be repeated. Requests name a model by the file's "
                  "name without its ending, or by NAME; the first model is the default.")
      ->type_name("[NAME=]FILE")
      ->required();
  add_choice(verb, "--model-memory", options->memory,
             "Where models are: mapped, in their files, of which all programs that map them share one copy, and which "
             "may only be replaced by renaming; own, copied, so that whatever happens to the file does no harm "
             "[mapped].");
  add_text(verb, "--host", how.host, "ADDRESS",
           "The address to listen on [127.0.0.1, which only this machine reaches].");
  add_number(verb, "--port", how.port, "N", {0, 65535}, "The port; 0 lets the system choose one [8080].");
  add_threads(verb, options->threads, " So many requests are computed at once.");
  add_input_file(verb, "--token-file", options->token_file, "FILE",
                 "Answers requests only that have the token in this file, as 'Authorization: Bearer TOKEN'.");
  add_text(verb, "--cors", how.cors_origin, "ORIGIN",
           "Lets pages of this origin call, such as https://example.org; * lets all [none].");
  add_choice(verb, "--log", options->log, "What is written on standard error, as lines of JSON [requests].");
  add_number(verb, "--max-body-mb", options->body_mb, "MB", {0, 4000, NumberRange::Ends::only_high},
             "Refuses bodies that are longer than this many megabytes [1].");
  add_number(verb, "--max-words", options->limits.words, "N", {1, 1e9}, "Refuses requests of more words [10000].");
  add_number(verb, "--max-sentence-words", options->limits.sentence_words, "N", {1, 1e6},
             "Refuses sentences of more words [500].");
  add_number(verb, "--max-trees", options->limits.trees, "N", {1, 1e9},
             "Refuses to find more trees, or draw more samples, of a sentence [10000].");
  add_number(verb, "--max-queue", how.limits.queue, "N", {0, 1e6},
             "Refuses requests while so many wait for a thread [256].");
  add_number(verb, "--max-connections", how.limits.connections, "N", {1, 1e6},
             "Lets further connections wait while so many are open [10000].");
  add_number(verb, "--request-time", options->request_time, "S", {0, 86400, NumberRange::Ends::only_high},
             "Gives up a request that takes more seconds, with the time it waits [10].");
  add_number(verb, "--client-time", options->client_time, "S", {0, 86400, NumberRange::Ends::only_high},
             "Gives up a client that takes more seconds to send a request or to take its answer [10].");
  verb.footer(kHelp);
  return [options](std::string_view) { return run(*options); };
}

}  // namespace kirchhoff::cli
