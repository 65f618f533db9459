// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_MEMORY_VIEW_H_
#define DLTAP_SHIM_TAP_ENTRY_MEMORY_VIEW_H_

#include <cstddef>
#include <cstdint>

namespace dltap::shim {

class CopyFile;

// The process's own memory, read through the kernel: an address that cannot be
// read gives false, never a fault. Keeps the pages that it has read, so a view
// is for one look only. Cold: a system call for each new page.
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

  bool Read(uintptr_t at, void* out, size_t bytes);

  template <typename T>
  bool Load(uintptr_t at, T* out) {
    return Read(at, out, sizeof(T));
  }

 private:
  static constexpr uintptr_t kPageBytes = 4096;
  static constexpr int kLines = 16;
  static constexpr uintptr_t kNoPage = 1;  // no page begins there

  const uint8_t* PageAt(uintptr_t page);
  bool ReadPage(uintptr_t page, uint8_t* out);

  int pid_;
  CopyFile* file_;  // nullptr: process_vm_readv
  bool was_refused_;
  uintptr_t pages_[kLines];
  uint8_t bytes_[kLines][kPageBytes];
};

// Whether every page of [begin, end) can be read. At most kMostProbedBytes.
inline constexpr uintptr_t kMostProbedBytes = uintptr_t{64} << 20;
bool AllReadable(int pid, uintptr_t begin, uintptr_t end);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_MEMORY_VIEW_H_
