// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/elf_linkage.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

namespace dltap::analyzer {
namespace {

constexpr size_t kMostBytes = size_t{1} << 30;

// A file, read-only, unmapped on destruction.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status = {};
    if (fd < 0) return;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size > 0) {
      size_ = std::min(static_cast<size_t>(status.st_size), kMostBytes);
      data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
  }
  ~MappedFile() {
    if (data_ != MAP_FAILED) munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view text() const {
    if (data_ == MAP_FAILED) return {};
    return {static_cast<const char*>(data_), size_};
  }

 private:
  void* data_ = MAP_FAILED;
  size_t size_ = 0;
};

// The `index`-th T of a table at `offset`; false: beyond the file.
template <typename T>
bool ReadAt(std::string_view file, uint64_t offset, uint64_t index, T* out) {
  const uint64_t at = offset + index * sizeof(T);
  if (at < offset || at + sizeof(T) > file.size()) return false;
  memcpy(out, file.data() + at, sizeof(T));
  return true;
}

std::string StringAt(std::string_view file, uint64_t at) {
  if (at >= file.size()) return {};
  const std::string_view rest = file.substr(at);
  const size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string()
                                       : std::string(rest.substr(0, end));
}

// Where a virtual address lies in the file; the file's end: nowhere.
uint64_t OffsetOf(std::span<const Elf64_Phdr> segments, uint64_t address,
                  uint64_t none) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return none;
}

void ReadDynamic(std::string_view file, std::span<const Elf64_Phdr> segments,
                 const Elf64_Phdr& dynamic, ElfLinkage& out) {
  std::vector<Elf64_Dyn> entries;
  uint64_t strings = file.size();
  for (uint64_t i = 0; i < dynamic.p_filesz / sizeof(Elf64_Dyn); ++i) {
    Elf64_Dyn entry;
    if (!ReadAt(file, dynamic.p_offset, i, &entry)) break;
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) {
      strings = OffsetOf(segments, entry.d_un.d_ptr, file.size());
    }
    entries.push_back(entry);
  }
  for (const Elf64_Dyn& entry : entries) {
    const bool is_path = entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
    if (entry.d_tag != DT_NEEDED && !is_path) continue;
    const std::string text = StringAt(file, strings + entry.d_un.d_val);
    if (is_path) {
      out.run_path = text;
      out.is_rpath = entry.d_tag == DT_RPATH;
    } else {
      out.needed.push_back(text);
    }
  }
}

bool NeedsCudart(const ElfLinkage& linkage) {
  return std::any_of(
      linkage.needed.begin(), linkage.needed.end(),
      [](const std::string& name) { return name.starts_with("libcudart"); });
}

}  // namespace

std::optional<ElfLinkage> ReadElf(const std::string& path) {
  const MappedFile mapped(path);
  const std::string_view file = mapped.text();
  Elf64_Ehdr header;
  if (!ReadAt(file, 0, 0, &header) ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return std::nullopt;
  }
  ElfLinkage linkage;
  linkage.is_x86_64 =
      header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64;
  if (!linkage.is_x86_64) return linkage;
  std::vector<Elf64_Phdr> segments;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!ReadAt(file, header.e_phoff, i, &segment)) break;
    segments.push_back(segment);
  }
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_INTERP) {
      linkage.is_dynamic = true;
      linkage.loader = StringAt(file, segment.p_offset);
    }
    if (segment.p_type != PT_DYNAMIC) continue;
    ReadDynamic(file, segments, segment, linkage);
    linkage.is_dynamic |= !linkage.needed.empty();
  }
  // A text of the runtime's table of errors, in all its releases.
  linkage.has_static_cudart =
      !NeedsCudart(linkage) &&
      file.find(
          "CUDA driver version is insufficient for CUDA runtime "
          "version") != std::string_view::npos;
  return linkage;
}

}  // namespace dltap::analyzer
