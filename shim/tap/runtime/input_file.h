// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_INPUT_FILE_H_
#define DLTAP_SHIM_TAP_RUNTIME_INPUT_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace dltap::shim {

// A file or folder that the collector reads while the program runs. Its
// descriptor lies out of the range that programs count on; one that the program
// has closed all the same, and given to a file of its own, is let alone.
class InputFile {
 public:
  InputFile(const char* path, int flags);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Bytes of the file, or entries of the folder (dirent64). 0 or less: no more,
  // or it cannot be read.
  ssize_t Read(void* out, size_t capacity) const;
  ssize_t ReadEntries(void* out, size_t capacity) const;

  int fd() const { return fd_; }

 private:
  bool IsOwn() const;

  int fd_;
  uint64_t inode_;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_INPUT_FILE_H_
