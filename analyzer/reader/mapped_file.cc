// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace dltap::analyzer {
namespace {

absl::Status SystemError(const std::string& path, int error) {
  const std::string message = path + ": " + std::strerror(error);
  return error == ENOENT ? absl::NotFoundError(message)
                         : absl::PermissionDeniedError(message);
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

absl::StatusOr<MappedFile> MappedFile::Map(const std::string& path) {
  const Descriptor fd(path);
  if (fd.get() < 0) return SystemError(path, errno);
  return MapDescriptor(path, fd.get());
}

absl::StatusOr<MappedFile> MappedFile::MapDescriptor(std::string path, int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) return SystemError(path, errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::NotFoundError(path + ": not a regular file");
  }
  MappedFile file(path);
  if (info.st_size == 0) return file;
  const auto size = static_cast<size_t>(info.st_size);
  file.mapping_ = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (file.mapping_ == MAP_FAILED) {
    file.mapping_ = nullptr;
    return SystemError(path, errno);
  }
  file.bytes_ = {static_cast<const uint8_t*>(file.mapping_), size};
  return file;
}

MappedFile MappedFile::OfBytes(std::string name, std::vector<uint8_t> bytes) {
  MappedFile file(std::move(name));
  file.copy_ = std::move(bytes);
  file.bytes_ = file.copy_;
  return file;
}

void MappedFile::ReleaseUntil(size_t count) const {
  if (mapping_ == nullptr) return;
  madvise(mapping_, std::min(count, bytes_.size()), MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept {
  *this = std::move(other);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(copy_, other.copy_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapping_, other.mapping_);
  return *this;
}

MappedFile::~MappedFile() {
  if (mapping_ != nullptr) munmap(mapping_, bytes_.size());
}

}  // namespace dltap::analyzer
