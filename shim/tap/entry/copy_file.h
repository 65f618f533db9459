// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_COPY_FILE_H_
#define DLTAP_SHIM_TAP_ENTRY_COPY_FILE_H_

#include <cstddef>
#include <cstdint>

namespace dltap::shim {

// A file of one page without a name, into which the kernel copies a page of the
// process's memory: write() says EFAULT where process_vm_readv() would, and no
// seccomp filter of a program that writes files kills it for that. All zeros is
// the state before Open(). Collector only.
//
// The file has a number among the program's. A program that closes what it did
// not open and gives the number to a file of its own is noticed before each
// write; in the time of a system call between the two it is not.
class CopyFile {
 public:
  static constexpr size_t kPageBytes = 4096;

  // Beside the ring file, that is in shared memory where there is any. False:
  // no such file can be had.
  bool Open(const char* ring_path);
  void Close();

  // The page at that address. False, and errno EFAULT: it cannot be read; with
  // another errno: the program has closed the file or may write none.
  bool Copy(uintptr_t page, uint8_t* out);

 private:
  bool Map(const char* path);

  const void* mapped_;
  uint64_t inode_;
  int fd_;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_COPY_FILE_H_
