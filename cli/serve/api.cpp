// Says which function answers what, and turns errors into answers.
#include "serve/api.hpp"

#include "json/read_error.hpp"
#include "json/writer.hpp"
#include "serve/udpipe.hpp"
#include "server/embedded.hpp"
#include "usage_error.hpp"

#include <kirchhoff/conllu.hpp>

#include <array>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace kirchhoff::cli {
namespace {

using server::Answer;
using server::Effort;
using server::Method;
using server::Request;

/// The page may use its own scripts and styles, and nothing from elsewhere.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kContentTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".txt", "text/plain; charset=utf-8"},
}};

std::string_view content_type(std::string_view name) {
  for (const auto& [ending, type] : kContentTypes) {
    if (name.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

Answer page_answer(const server::EmbeddedFile& file) {
  return {
      200,
      std::string(file.content),
      content_type(file.name),
      {{"Content-Security-Policy", kPagePolicy}, {"Referrer-Policy", "no-referrer"}, {"Cache-Control", "no-cache"}}};
}

void add_page(server::Router& router) {
  for (const server::EmbeddedFile& file : server::page_files()) {
    const auto answer = [file](const Request&) { return page_answer(file); };
    const std::string path = file.name == "index.html" ? "/" : "/" + std::string(file.name);
    router.add({Method::get, path, answer, Effort::none, true});
  }
}

}  // namespace

server::Router make_router(const ModelStore& models, const AnswerLimits& limits,
                           const std::unique_ptr<server::Metrics>& metrics) {
  server::Router router;
  add_page(router);
  router.add({Method::get, "/healthz",
              [](const Request&) {
                return Answer{200, "ok\n", "text/plain"};
              },
              Effort::none, true});
  router.add({Method::get, "/metrics", [&metrics](const Request&) {
                return Answer{200, metrics->text(), "text/plain; version=0.0.4"};
              }});
  router.add({Method::get, "/v1/openapi.json",
              [](const Request&) { return Answer{.body = std::string(server::api_files().front().content)}; }});
  router.add({Method::get, "/v1/models", [&models](const Request&) { return answer_models(models); }});
  router.add({Method::post, "/v1/parse",
              [&models, &limits](const Request& request) { return answer_parse(models, limits, request); },
              Effort::work});
  for (const Method method : {Method::get, Method::post}) {
    router.add({method, "/models", [&models](const Request&) { return answer_udpipe_models(models); }});
    router.add({method, "/process",
                [&models, &limits](const Request& request) { return answer_udpipe_process(models, limits, request); },
                Effort::work});
  }
  return router;
}

Answer error_answer(int status, std::string_view message) {
  Answer answer;
  answer.status = status;
  answer.body = "{\"error\":{\"message\":" + json_string(message) + "}}\n";
  return answer;
}

Answer failure_answer() {
  try {
    throw;
  } catch (const ReadError& e) {
    return error_answer(400, e.what());
  } catch (const UsageError& e) {
    return error_answer(400, e.what());
  } catch (const ParseError& e) {
    return error_answer(400, e.what());
  } catch (const Infeasible& e) {
    return error_answer(422, without_function(e.what()));
  } catch (const InputError& e) {
    return error_answer(400, without_function(e.what()));
  } catch (const std::bad_alloc&) {
    return error_answer(503, "not enough memory for this request; ask for less at once");
  } catch (const std::length_error&) {
    return error_answer(503, "not enough memory for this request; ask for less at once");
  } catch (const std::exception& e) {
    return error_answer(500, e.what());
  }
}

}  // namespace kirchhoff::cli
