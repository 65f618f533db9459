// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_COPY_FILE_H_
#define DLTAP_SHIM_TAP_ENTRY_COPY_FILE_H_

#include <cstddef>
#include <cstdint>

namespace dltap::shim {

// A small file without a name, into which the kernel copies parts of the
// process's memory: pwrite() says EFAULT where process_vm_readv() would, and no
// seccomp filter of a program that writes files kills it for that. All zeros is
// the state before Open(). Collector only.
//
// The file has a number among the program's. A program that closes what it did
// not open and gives the number to a file of its own is noticed before each
// write; in the time of a system call between the two it is not.
class CopyFile {
 public:
  static constexpr size_t kBytes = 32 << 10;

  // Beside the ring file, that is in shared memory where there is any. False:
  // no such file can be had.
  bool Open(const char* ring_path);
  void Close();

  // Copies kBytes at most to data(). Returns how many. Where they are fewer,
  // the next one cannot be read (errno EFAULT), or the program has closed the
  // file or may write none (another).
  size_t Copy(uintptr_t from, size_t bytes);
  const uint8_t* data() const { return mapped_; }

 private:
  static int Create(const char* ring_path);
  bool Map();

  const uint8_t* mapped_;
  uint64_t inode_;
  int fd_;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_COPY_FILE_H_
