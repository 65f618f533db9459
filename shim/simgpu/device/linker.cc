// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/linker.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <utility>

namespace dltap::simgpu {
namespace {

constexpr uint16_t kMachineCuda = 190;  // EM_CUDA of the ELF registry

// Sections of an ELF file without contents but their names.
class CubinWriter {
 public:
  CubinWriter() { AddSection("", SHT_NULL, 0); }

  void AddSection(const std::string& name, uint32_t type, uint64_t bytes) {
    Elf64_Shdr section = {};
    section.sh_name = static_cast<Elf64_Word>(names_.size());
    section.sh_type = type;
    section.sh_size = bytes;
    section.sh_addralign = 1;
    sections_.push_back(section);
    names_ += name;
    names_ += '\0';
  }

  // Header, section headers, names.
  std::vector<char> Finish() {
    AddSection(".shstrtab", SHT_STRTAB, 0);
    const size_t headers_bytes = sections_.size() * sizeof(Elf64_Shdr);
    sections_.back().sh_offset = sizeof(Elf64_Ehdr) + headers_bytes;
    sections_.back().sh_size = names_.size();
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = kMachineCuda;
    header.e_version = EV_CURRENT;
    header.e_shoff = sizeof(header);
    header.e_ehsize = sizeof(header);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(sections_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(sections_.size() - 1);
    std::vector<char> file(sections_.back().sh_offset + names_.size());
    char* at = file.data();
    std::memcpy(at, &header, sizeof(header));
    std::memcpy(at + sizeof(header), sections_.data(), headers_bytes);
    std::memcpy(at + sections_.back().sh_offset, names_.data(), names_.size());
    return file;
  }

 private:
  std::vector<Elf64_Shdr> sections_;
  std::string names_;
};

}  // namespace

Error AddToLink(Linker& linker, const void* data, size_t bytes,
                bool must_be_image) {
  std::optional<ImageContents> read = ReadImage(data, bytes);
  if (!read) return must_be_image ? Error::kInvalidImage : Error::kSuccess;
  for (ImageKernel& kernel : read->kernels) {
    linker.contents.kernels.push_back(std::move(kernel));
  }
  for (ImageVariable& variable : read->variables) {
    linker.contents.variables.push_back(std::move(variable));
  }
  return Error::kSuccess;
}

void CompleteLink(Linker& linker) {
  linker.image = MakeCubin(linker.contents);
  for (void** size : linker.log_sizes) *size = nullptr;
}

std::vector<char> MakeCubin(const ImageContents& contents) {
  CubinWriter writer;
  for (const ImageKernel& kernel : contents.kernels) {
    writer.AddSection(".text." + kernel.name, SHT_NOBITS, 0);
    if (kernel.static_shared_bytes != 0) {
      writer.AddSection(".nv.shared." + kernel.name, SHT_NOBITS,
                        kernel.static_shared_bytes);
    }
  }
  return writer.Finish();
}

}  // namespace dltap::simgpu
