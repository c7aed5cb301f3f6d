// Turns what goes wrong with one line of input into the answer to that line.
#include "answers/guarded.hpp"

#include "json/read_error.hpp"

#include <new>

namespace kirchhoff::cli {

LineAnswer guarded(const std::function<LineAnswer()>& make) {
  try {
    return make();
  } catch (const ReadError& e) {
    return {LineAnswer::Status::bad, {}, e.what()};
  } catch (const InputError& e) {
    return {LineAnswer::Status::bad, {}, without_function(e.what())};
  } catch (const NotANumber& e) {
    return {LineAnswer::Status::bug, {}, e.what()};
  } catch (const std::bad_alloc&) {
    return {LineAnswer::Status::bad, {}, "not enough memory for this line"};
  } catch (const std::length_error&) {
    return {LineAnswer::Status::bad, {}, "not enough memory for this line"};
  }
}

}  // namespace kirchhoff::cli
