// The REST interface of UDPipe, so that its clients work with this server: /models and /process.
#pragma once

#include "serve/models.hpp"
#include "serve/parse_handler.hpp"
#include "server/message.hpp"

namespace kirchhoff::cli {

server::Answer answer_udpipe_models(const ModelStore& models);
/// Takes data, model, input, tokenizer, tagger, parser and output, and answers {"model":..., "acknowledgements":...,
/// "result":...}. Formats that we do not have are errors that name those we have.
server::Answer answer_udpipe_process(const ModelStore& models, const AnswerLimits& limits,
                                     const server::Request& request);

}  // namespace kirchhoff::cli
