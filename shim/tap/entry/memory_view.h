// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_MEMORY_VIEW_H_
#define DLTAP_SHIM_TAP_ENTRY_MEMORY_VIEW_H_

#include <cstddef>
#include <cstdint>

namespace dltap::shim {

class CopyFile;

// The process's own memory, read through the kernel: an address that cannot be
// read gives false, never a fault. Keeps what it has read, so a view is for one
// look only. Cold: a system call for each new page, or for what was said to be
// wanted and lies side by side.
class MemoryView {
 public:
  // Forgets what was read. `pid` is the calling process's.
  void Begin(int pid);
  // The same, by way of a file: no call that a filter may not know.
  void Begin(CopyFile& file);
  // Only that: what is read from here on is new.
  void Forget();

  // The kernel has refused to look, whatever is there.
  bool was_refused() const { return was_refused_; }

  // What will be read, and a copy of it, in that order: what lies behind what
  // was wanted before it, at once with that. By way of a file; else it is read
  // page by page.
  void Want(uintptr_t at, size_t bytes);
  void Fetch();

  bool Read(uintptr_t at, void* out, size_t bytes);

  template <typename T>
  bool Load(uintptr_t at, T* out) {
    return Read(at, out, sizeof(T));
  }

 private:
  // A page's lines lie one behind the other.
  static constexpr uintptr_t kPageBytes = 4096;
  static constexpr uintptr_t kLineBytes = 256;
  static constexpr uintptr_t kLines = 1024;
  // Instead of where one begins.
  static constexpr uintptr_t kNoLine = 1;
  static constexpr uintptr_t kIsWanted = 2;  // beside that
  static constexpr int kMostWanted = 128;

  static uintptr_t IndexOf(uintptr_t line) {
    return line / kLineBytes % kLines;
  }
  const uint8_t* LineAt(uintptr_t line);
  bool ReadPage(uintptr_t page, uint8_t* out);
  int FetchRun(int first, int count);

  int pid_;
  CopyFile* file_;  // nullptr: process_vm_readv
  bool was_refused_;
  int wanted_count_;
  uintptr_t wanted_[kMostWanted];
  uintptr_t lines_[kLines];
  uint8_t bytes_[kLines * kLineBytes];
};

// Whether every page of [begin, end) can be read. At most kMostProbedBytes.
inline constexpr uintptr_t kMostProbedBytes = uintptr_t{64} << 20;
bool AllReadable(int pid, uintptr_t begin, uintptr_t end);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_MEMORY_VIEW_H_
