// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/file_bytes.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace dltap::analyzer {

// zlib's gzread also passes plain files through.
absl::StatusOr<std::string> ReadFileBytes(const std::string& path,
                                          size_t max_bytes) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(
      gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  gzbuffer(file.get(), 1 << 20);
  std::string bytes;
  size_t size = 0;
  while (true) {
    if (size == bytes.size()) {
      bytes.resize(std::max<size_t>(size_t{1} << 20, 2 * size));
    }
    const size_t room = std::min<size_t>(bytes.size() - size, 1 << 30);
    const int got =
        gzread(file.get(), bytes.data() + size, static_cast<unsigned>(room));
    if (got < 0) {
      int code = 0;
      return absl::DataLossError(absl::StrCat(
          path, ": damaged gzip data after ", size, " inflated bytes: ",
          gzerror(file.get(), &code), "; copy the file again"));
    }
    if (got == 0) break;
    size += static_cast<size_t>(got);
    if (size > max_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          path, ": more than ", max_bytes, " bytes when inflated"));
    }
  }
  // A member that breaks off reads as a short file; zlib reports it on close
  // only.
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code == Z_BUF_ERROR) {
    return absl::DataLossError(
        absl::StrCat(path, ": gzip data ends early, after ", size,
                     " inflated bytes; copy the file again"));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace dltap::analyzer
