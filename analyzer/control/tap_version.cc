// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/tap_version.h"

#include <elf.h>

#include <cstring>
#include <fstream>

namespace dltap::analyzer {
namespace {

constexpr std::string_view kOwner = "dltap";

template <typename T>
bool ReadAt(std::ifstream& file, uint64_t offset, T* out) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(out), sizeof(T)));
}

size_t Padded(size_t size) { return (size + 3) & ~size_t{3}; }

// The text of the note of `owner` in the bytes of one segment.
std::optional<std::string> NoteOf(std::string_view owner,
                                  std::string_view bytes) {
  Elf64_Nhdr note;
  while (bytes.size() >= sizeof note) {
    memcpy(&note, bytes.data(), sizeof note);
    bytes.remove_prefix(sizeof note);
    const size_t name_size = Padded(note.n_namesz);
    const size_t size = name_size + Padded(note.n_descsz);
    if (size > bytes.size()) return std::nullopt;
    if (owner == bytes.substr(0, bytes.find('\0'))) {
      const std::string_view text = bytes.substr(name_size, note.n_descsz);
      return std::string(text.substr(0, text.find('\0')));
    }
    bytes.remove_prefix(size);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> TapVersion(const std::string& path) {
  constexpr size_t kLargest = 4096;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header;
  if (!ReadAt(file, 0, &header) ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return std::nullopt;
  }
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!ReadAt(file, header.e_phoff + i * sizeof segment, &segment)) break;
    if (segment.p_type != PT_NOTE || segment.p_filesz > kLargest) continue;
    std::string bytes(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      break;
    }
    if (auto text = NoteOf(kOwner, bytes)) return text;
  }
  return std::nullopt;
}

}  // namespace dltap::analyzer
