// Handlers of what C++ does without memory and after exceptions that escape.
#include "io/memory.hpp"

#include "io/terminal.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>

#include <execinfo.h>

namespace kirchhoff::cli {
namespace {

constexpr int kError = 1;

const char* verb_name = "";
std::atomic<bool> was_refused = false;
std::atomic<bool> ends = false;
thread_local std::size_t refused = 0;

void complain_out_of_memory() {
  std::array<char, 100> text{};
  std::snprintf(text.data(), text.size(), "out of memory in '%.40s'", verb_name);
  complain(text.data());
}

void refuse_memory() {
  was_refused = true;
  ++refused;
  if (!ends) throw std::bad_alloc();
  complain_out_of_memory();
  std::_Exit(kError);
}

/// Libraries take memory where no exception may leave: CLI11 does to look up a verb, and simdjson to make a parser.
/// That is no reason to crash. Anything else is a bug, of which the system shall keep a picture.
[[noreturn]] void end_at_once() {
  if (std::current_exception()) {
    complain_of_current_exception();
  } else if (was_refused) {
    complain_out_of_memory();
  } else {
    std::abort();
  }
  std::_Exit(kError);
}

}  // namespace

void complain_of_current_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    complain_out_of_memory();
  } catch (const std::length_error&) {
    complain_out_of_memory();
  } catch (const std::exception& e) {
    complain(e.what());
  } catch (...) {
    complain("an unknown error; please report how it came about");
  }
}

void prepare_for_lack_of_memory(const char* verb) {
  verb_name = verb;
  std::set_terminate(end_at_once);
  std::set_new_handler(refuse_memory);
  // The C library looks up the unwinder when an exception first passes through it, and aborts if there is no memory for
  // that. This makes it look now.
  void* frame = nullptr;
  static_cast<void>(backtrace(&frame, 1));
}

std::size_t refused_memory() { return refused; }

void end_without_memory() { ends = true; }

}  // namespace kirchhoff::cli
