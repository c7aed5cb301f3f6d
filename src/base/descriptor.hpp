// An open file of the system, which is closed when its owner goes.
#pragma once

#include <unistd.h>

#include <utility>

namespace kirchhoff::base {

class Descriptor {
 public:
  /// Takes what open() returned; a negative number is no file.
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  /// The file that it had is closed when `other` goes.
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }

 private:
  int number_;
};

}  // namespace kirchhoff::base
