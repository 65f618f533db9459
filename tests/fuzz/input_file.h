// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_FUZZ_INPUT_FILE_H_
#define DLTAP_TESTS_FUZZ_INPUT_FILE_H_

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace dltap {

// A file in memory for importers that read files; one per process, each input
// takes the place of the one before.
inline const std::string& InputPath() {
  static const std::string path =
      "/dev/shm/dltap_fuzz." + std::to_string(getpid());
  static const bool registered =
      std::atexit([] { unlink(InputPath().c_str()); }) == 0;
  (void)registered;
  return path;
}

inline const std::string& InputFile(const uint8_t* data, size_t size) {
  const int fd = open(InputPath().c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) abort();
  close(fd);
  return InputPath();
}

}  // namespace dltap

#endif  // DLTAP_TESTS_FUZZ_INPUT_FILE_H_
