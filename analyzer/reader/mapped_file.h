// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_MAPPED_FILE_H_
#define DLTAP_ANALYZER_READER_MAPPED_FILE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// The bytes of a file, read-only, for as long as this lives. Data files are
// mapped; small or changing ones (rings of live processes) are copied, so that
// what was checked is what is read.
class MappedFile {
 public:
  static absl::StatusOr<MappedFile> Map(const std::string& path);
  // Of an open file, which may have no name any more.
  static absl::StatusOr<MappedFile> MapDescriptor(std::string name, int fd);
  // Bytes that lie in no file.
  static MappedFile OfBytes(std::string name, std::vector<uint8_t> bytes);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const uint8_t> bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

  // Gives the memory of the first `count` bytes back; reading them again
  // brings them back from the file. Does nothing to copies.
  void ReleaseUntil(size_t count) const;

 private:
  explicit MappedFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::span<const uint8_t> bytes_;
  std::vector<uint8_t> copy_;
  void* mapping_ = nullptr;
};

// Follows a reader through files and gives back what it has passed, so that a
// long file does not stay in memory whole.
class PageReleaser {
 public:
  void Passed(const MappedFile& file, size_t offset) {
    if (&file != file_) released_ = 0;
    file_ = &file;
    if (offset < released_ + kStrideBytes) return;
    file.ReleaseUntil(offset);
    released_ = offset;
  }

 private:
  static constexpr size_t kStrideBytes = 16 << 20;

  const MappedFile* file_ = nullptr;
  size_t released_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_MAPPED_FILE_H_
