// A library to be preloaded (LD_PRELOAD), which runs a program again and again, each time with other calls that fail.
// Just before its main function the program becomes a server: it reads requests from the descriptor FAULT_REQUESTS,
// lets a copy of itself (fork) run main with the fault, and writes the copy's exit status, or minus the signal that
// ended it, to the descriptor FAULT_ANSWERS. The copy's standard streams are the files stdin, stdout and stderr of
// FAULT_FOLDER, and the numbers of its calls of each kind go to the file calls there. A request is a line "KIND AT
// ONWARD ERROR":
//
//   KIND    malloc, open, read, write, sync, rename, mmap, thread, close or stat; none for no fault
//   AT      the call that fails, counted from 1
//   ONWARD  1 if all later calls fail too, as when memory or the disk stays full; else 0
//   ERROR   the number of the error, -1 for the usual one, or 0 for reading or writing a single byte instead
//
// Standard error is spared, because the tests read there what the program says about the fault.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum Kind { kMalloc, kOpen, kRead, kWrite, kSync, kRename, kMmap, kThread, kClose, kStat, kKinds };

struct Rule {
  const char* name;
  int usual_error;
};
constexpr std::array<Rule, kKinds> kRules = {{{"malloc", ENOMEM},
                                              {"open", EMFILE},
                                              {"read", EIO},
                                              {"write", ENOSPC},
                                              {"sync", EIO},
                                              {"rename", EXDEV},
                                              {"mmap", ENOMEM},
                                              {"thread", EAGAIN},
                                              {"close", EIO},
                                              {"stat", EACCES}}};

std::atomic<bool> counting{false};
std::array<std::atomic<long>, kKinds> calls{};
int failing = -1;
long fail_at = 0;
bool onward = false;
int error = 0;

/// Where the C library itself ends the program when a call fails, the call does not.
__attribute__((tls_model("initial-exec"))) thread_local bool spared = false;

/// Counts a call and tells whether it shall fail; errno is then set.
bool fails(Kind kind) {
  if (spared || !counting.load(std::memory_order_relaxed)) return false;
  const long call = calls[kind].fetch_add(1, std::memory_order_relaxed) + 1;
  if (kind != failing || (onward ? call < fail_at : call != fail_at)) return false;
  errno = error;
  return true;
}

/// Does the same for reading and writing. Files are always ready; only the standard streams, which may be pipes, can be
/// told to come back later.
bool fails(Kind kind, int file) {
  if (error == EAGAIN && file > STDERR_FILENO) return false;
  return file != STDERR_FILENO && fails(kind);
}

/// Short reads and writes move a single byte.
std::size_t shortened(std::size_t size) { return size > 1 ? 1 : size; }

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

constexpr unsigned kSeconds = 60;  // None takes one second; more is a hang, which ends by SIGALRM.

void prepare(const char* kind_name, long at, bool later, int number) {
  for (int kind = 0; kind < kKinds; ++kind) {
    if (std::strcmp(kRules[kind].name, kind_name) == 0) failing = kind;
  }
  fail_at = at;
  onward = later;
  error = number >= 0 || failing < 0 ? number : kRules[failing].usual_error;
}

/// Opens a file of the folder by system calls, which are not counted.
int open_here(const char* name, int flags) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/%s", std::getenv("FAULT_FOLDER"), name);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, 0666));
}

void redirect(int descriptor, const char* name, int flags) {
  const int file = open_here(name, flags);
  dup2(file, descriptor);
  syscall(SYS_close, file);
}

void report() {
  counting = false;
  const int file = open_here("calls", O_WRONLY | O_CREAT | O_TRUNC);
  for (int kind = 0; kind < kKinds; ++kind) {
    char line[64];
    const int size = std::snprintf(line, sizeof line, "%s %ld\n", kRules[kind].name, calls[kind].load());
    syscall(SYS_write, file, line, static_cast<std::size_t>(size));
  }
  syscall(SYS_close, file);
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  redirect(STDIN_FILENO, "stdin", O_RDONLY);
  redirect(STDOUT_FILENO, "stdout", O_WRONLY | O_CREAT | O_TRUNC);
  redirect(STDERR_FILENO, "stderr", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
  alarm(kSeconds);
  counting = true;
  const int status = real_main(argc, argv, environment);
  report();
  return status;
}

int number_of(const char* variable) { return std::atoi(std::getenv(variable)); }

int serve(int argc, char** argv, char** environment) {
  if (std::getenv("FAULT_REQUESTS") == nullptr) return real_main(argc, argv, environment);
  FILE* requests = fdopen(number_of("FAULT_REQUESTS"), "r");
  const int answers = number_of("FAULT_ANSWERS");
  char kind[16];
  long at = 0;
  int later = 0;
  int number = 0;
  while (std::fscanf(requests, "%15s %ld %d %d", kind, &at, &later, &number) == 4) {
    const pid_t child = fork();
    if (child == 0) {
      syscall(SYS_close, fileno(requests));
      syscall(SYS_close, answers);
      prepare(kind, at, later != 0, number);
      return counted_main(argc, argv, environment);
    }
    int status = 0;
    waitpid(child, &status, 0);
    dprintf(answers, "%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  }
  return 0;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader)(), void* stack) {
  real_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(serve, argc, argv, init, fini, loader, stack);
}

/// It takes 32 bytes for the destructor of a thread's variable, and ends the program if there are none.
int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* library) {
  spared = true;
  const int status = next<int (*)(void (*)(void*), void*, void*)>("__cxa_thread_atexit_impl")(destroy, object, library);
  spared = false;
  return status;
}

/// It writes to memory that it did not get.
void* dlopen(const char* path, int flags) {
  spared = true;
  void* library = next<void* (*)(const char*, int)>("dlopen")(path, flags);
  spared = false;
  return library;
}

void* malloc(std::size_t size) { return fails(kMalloc) ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return fails(kMalloc) ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, std::size_t size) { return fails(kMalloc) ? nullptr : __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) {
  return fails(kMalloc) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  void* got = memalign(alignment, size);
  if (got == nullptr) return ENOMEM;
  *memory = got;
  return 0;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(kOpen) ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(kOpen) ? -1 : static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));
FILE* fopen(const char* path, const char* mode) {
  return fails(kOpen) ? nullptr : next<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));
int mkstemp(char* name) { return fails(kOpen) ? -1 : next<int (*)(char*)>("mkstemp")(name); }
int mkstemp64(char* name) __attribute__((alias("mkstemp")));
int mkostemp(char* name, int flags) { return fails(kOpen) ? -1 : next<int (*)(char*, int)>("mkostemp")(name, flags); }

ssize_t read(int file, void* to, std::size_t size) {
  if (fails(kRead, file)) {
    if (errno != 0) return -1;
    size = shortened(size);
  }
  return syscall(SYS_read, file, to, size);
}
ssize_t write(int file, const void* from, std::size_t size) {
  if (fails(kWrite, file)) {
    if (errno != 0) return -1;
    size = shortened(size);
  }
  return syscall(SYS_write, file, from, size);
}
ssize_t writev(int file, const iovec* parts, int count) {
  if (fails(kWrite, file) && errno != 0) return -1;
  return syscall(SYS_writev, file, parts, count);
}

int fsync(int file) { return fails(kSync) ? -1 : static_cast<int>(syscall(SYS_fsync, file)); }
int fdatasync(int file) { return fails(kSync) ? -1 : static_cast<int>(syscall(SYS_fdatasync, file)); }
int rename(const char* from, const char* to) noexcept {
  return fails(kRename) ? -1 : static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int link(const char* from, const char* to) noexcept {
  return fails(kRename) ? -1 : static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (fails(kMmap)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, file, offset));
}
void* mmap64(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept
    __attribute__((alias("mmap")));

int close(int file) {
  const int status = static_cast<int>(syscall(SYS_close, file));  // Linux closes the file whatever it answers.
  return fails(kClose) ? -1 : status;
}
int stat(const char* path, struct stat* info) noexcept {
  return fails(kStat) ? -1 : next<int (*)(const char*, struct stat*)>("stat")(path, info);
}
int fstat(int file, struct stat* info) noexcept {
  return fails(kStat) ? -1 : next<int (*)(int, struct stat*)>("fstat")(file, info);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) noexcept {
  if (fails(kThread)) return errno;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  return next<Create>("pthread_create")(thread, attributes, body, argument);
}

}  // extern "C"
