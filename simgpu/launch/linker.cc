// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/linker.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <utility>

namespace dltap::simgpu {
namespace {

constexpr uint16_t kMachineCuda = 190;  // EM_CUDA of the ELF registry

// Sections of an ELF file, without contents but their names and a symbol table
// of variables.
class CubinWriter {
 public:
  CubinWriter() { AddSection("", SHT_NULL, 0); }

  void AddVariable(const std::string& name, uint64_t bytes) {
    Elf64_Sym symbol = {};
    symbol.st_name = static_cast<Elf64_Word>(names_.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_size = bytes;
    symbols_.push_back(symbol);
    names_ += name;
    names_ += '\0';
  }

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

  // Header, section headers, symbols, names. A table of type SHT_SYMTAB says
  // that all names are here.
  std::vector<char> Finish(uint32_t table_type) {
    AddSection(".symtab", table_type, symbols_.size() * sizeof(Elf64_Sym));
    AddSection(".shstrtab", SHT_STRTAB, 0);
    const size_t headers_bytes = sections_.size() * sizeof(Elf64_Shdr);
    Elf64_Shdr& table = sections_[sections_.size() - 2];
    table.sh_offset = sizeof(Elf64_Ehdr) + headers_bytes;
    table.sh_entsize = sizeof(Elf64_Sym);
    table.sh_link = static_cast<Elf64_Word>(sections_.size() - 1);
    sections_.back().sh_offset = table.sh_offset + table.sh_size;
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
    if (!symbols_.empty()) {
      std::memcpy(at + table.sh_offset, symbols_.data(), table.sh_size);
    }
    std::memcpy(at + sections_.back().sh_offset, names_.data(), names_.size());
    return file;
  }

 private:
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_;
  std::string names_;
};

}  // namespace

Error AddToLink(Linker& linker, const void* data, size_t bytes,
                bool must_be_image) {
  std::optional<ImageContents> read = ReadImage(data, bytes);
  if (!read && must_be_image) return Error::kInvalidImage;
  if (!read) {
    linker.contents.complete = false;
    return Error::kSuccess;
  }
  linker.contents.complete = linker.contents.complete && read->complete;
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
  for (const ImageVariable& variable : contents.variables) {
    writer.AddVariable(variable.name, variable.bytes);
  }
  return writer.Finish(contents.complete ? SHT_SYMTAB : SHT_DYNSYM);
}

}  // namespace dltap::simgpu
