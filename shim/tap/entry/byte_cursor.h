// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_BYTE_CURSOR_H_
#define DLTAP_SHIM_TAP_ENTRY_BYTE_CURSOR_H_

#include <cstdint>

#include "shim/tap/entry/memory_view.h"

namespace dltap::shim {

// Reads forward; after the end, or from memory that is not there, zeros.
class ByteCursor {
 public:
  ByteCursor(MemoryView& memory, uintptr_t at, uintptr_t end)
      : memory_(&memory), at_(at), end_(end) {}

  template <typename T>
  T Fixed() {
    T value{};
    if (end_ - at_ < sizeof(T) || at_ > end_ || !memory_->Load(at_, &value)) {
      ok_ = false;
      at_ = end_;
      return T{};
    }
    at_ += sizeof(T);
    return value;
  }
  uint64_t Unsigned() {
    uint64_t value = 0;
    for (unsigned shift = 0; ok_; shift += 7) {
      const auto byte = Fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  int64_t Signed() {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (ok_ && (byte & 0x80) != 0) {
      byte = Fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7Fu} << shift;
      shift += 7;
    }
    if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }
  void Skip(uint64_t bytes) {
    if (bytes > end_ - at_) ok_ = false;
    at_ = ok_ ? at_ + bytes : end_;
  }
  // The next `bytes`, which are passed.
  ByteCursor Part(uint64_t bytes) {
    ByteCursor part = *this;
    Skip(bytes);
    part.end_ = at_;
    part.ok_ = ok_;
    return part;
  }

  uintptr_t at() const { return at_; }
  bool AtEnd() const { return at_ >= end_; }
  bool ok() const { return ok_; }

 private:
  MemoryView* memory_;
  uintptr_t at_;
  uintptr_t end_;
  bool ok_ = true;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_BYTE_CURSOR_H_
