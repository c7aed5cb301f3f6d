// Repeats system calls until they succeed or fail for good. Non-blocking descriptors, which a program may inherit from
// another that shares its terminal or pipe, are waited for by poll().
#include "io/descriptor.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace kirchhoff::cli {
namespace {

/// True when the call that has just failed is to be tried again.
bool try_again(int descriptor, short event) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;  // On Linux EWOULDBLOCK is the same number.
  pollfd request{descriptor, event, 0};
  return poll(&request, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

void prepare_descriptors() noexcept {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(standard, F_GETFD) >= 0 || errno != EBADF) continue;
    const int place = open("/", O_PATH | O_CLOEXEC);  // It can neither be read nor written, like a closed descriptor.
    if (place < 0 || place == standard) continue;
    dup2(place, standard);
    close(place);
  }
}

int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written == 0) return EIO;
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (!try_again(descriptor, POLLOUT)) {
      return errno;
    }
  }
  return 0;
}

ssize_t read_some(int descriptor, char* to, std::size_t size) noexcept {
  while (true) {
    const ssize_t got = read(descriptor, to, size);
    if (got >= 0 || !try_again(descriptor, POLLIN)) return got;
  }
}

}  // namespace kirchhoff::cli
