// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "simgpu/launch/cubin_parameters.h"
#include "simgpu/launch/ptx.h"

namespace dltap::simgpu {
namespace {

// fatbinary_section.h: the wrapper that nvcc emits, pointing to the data.
struct FatbinWrapper {
  uint32_t magic;
  uint32_t version;
  const void* data;
  const void* filename_or_fatbins;
};
constexpr uint32_t kWrapperMagic = 0x466243b1;
constexpr uint32_t kFatbinMagic = 0xba55ed50;

constexpr std::string_view kTextPrefix = ".text.";
constexpr std::string_view kSharedPrefix = ".nv.shared.";
constexpr std::string_view kInfoPrefix = ".nv.info.";

class Elf {
 public:
  Elf(const char* bytes, size_t limit) : bytes_(bytes), limit_(limit) {
    std::memcpy(&header_, bytes, sizeof(header_));
  }

  std::optional<ImageContents> Read() const {
    ImageContents contents;
    contents.bytes =
        header_.e_shoff + uint64_t{header_.e_shentsize} * header_.e_shnum;
    for (int i = 0; i < header_.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!SectionAt(i, &section)) return std::nullopt;
      contents.bytes = std::max(contents.bytes, EndOf(section));
      const std::string_view name = NameOf(section);
      if (name.starts_with(kTextPrefix)) {
        const std::string_view kernel = name.substr(kTextPrefix.size());
        contents.kernels.push_back(KernelNamed(kernel));
      }
      // A compiler's own file; one without all symbols tells some names only.
      if (section.sh_type == SHT_SYMTAB) contents.complete = true;
      if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {
        ReadVariables(section, contents);
      }
    }
    return contents;
  }

 private:
  bool Within(uint64_t offset, uint64_t bytes) const {
    return offset <= limit_ && bytes <= limit_ - offset;
  }

  static size_t EndOf(const Elf64_Shdr& section) {
    return section.sh_type == SHT_NOBITS ? 0
                                         : section.sh_offset + section.sh_size;
  }

  bool SectionAt(int index, Elf64_Shdr* section) const {
    const uint64_t at = header_.e_shoff + uint64_t{header_.e_shentsize} * index;
    if (!Within(at, sizeof(*section))) return false;
    std::memcpy(section, bytes_ + at, sizeof(*section));
    return true;
  }

  std::string_view StringAt(const Elf64_Shdr& table, uint64_t offset) const {
    if (offset >= table.sh_size || !Within(table.sh_offset, table.sh_size)) {
      return {};
    }
    const char* text = bytes_ + table.sh_offset + offset;
    return {text, strnlen(text, table.sh_size - offset)};
  }

  std::string_view NameOf(const Elf64_Shdr& section) const {
    Elf64_Shdr names;
    return SectionAt(header_.e_shstrndx, &names)
               ? StringAt(names, section.sh_name)
               : std::string_view();
  }

  std::optional<Elf64_Shdr> SectionOf(std::string_view kernel,
                                      std::string_view prefix) const {
    for (int i = 0; i < header_.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!SectionAt(i, &section)) break;
      const std::string_view name = NameOf(section);
      if (name.starts_with(prefix) && name.substr(prefix.size()) == kernel) {
        return section;
      }
    }
    return std::nullopt;
  }

  ImageKernel KernelNamed(std::string_view name) const {
    ImageKernel kernel{.name = std::string(name)};
    if (const auto shared = SectionOf(name, kSharedPrefix)) {
      kernel.static_shared_bytes = static_cast<uint32_t>(shared->sh_size);
    }
    const auto info = SectionOf(name, kInfoPrefix);
    if (!info || !Within(info->sh_offset, info->sh_size)) return kernel;
    auto parameters =
        ReadCubinParameters({bytes_ + info->sh_offset, info->sh_size});
    kernel.parameters_known = parameters.has_value();
    if (parameters) kernel.parameters = *std::move(parameters);
    return kernel;
  }

  void ReadVariables(const Elf64_Shdr& symbols, ImageContents& contents) const {
    Elf64_Shdr strings;
    if (!SectionAt(static_cast<int>(symbols.sh_link), &strings) ||
        !Within(symbols.sh_offset, symbols.sh_size)) {
      return;
    }
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size;
         at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes_ + symbols.sh_offset + at, sizeof(symbol));
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
      contents.variables.push_back(
          {std::string(StringAt(strings, symbol.st_name)), symbol.st_size});
    }
  }

  const char* bytes_;
  const size_t limit_;
  Elf64_Ehdr header_;
};

bool IsElf(const char* bytes, size_t limit) {
  return limit >= sizeof(Elf64_Ehdr) &&
         std::memcmp(bytes, ELFMAG, SELFMAG) == 0 &&
         bytes[EI_CLASS] == ELFCLASS64;
}

bool IsPtx(const char* text, size_t limit) {
  // PTX begins with comments and then a .version directive.
  const size_t probe = limit < 4096 ? limit : 4096;
  const std::string_view start(text, strnlen(text, probe));
  return start.find(".version") != std::string_view::npos;
}

}  // namespace

std::optional<ImageContents> ReadImage(const void* image, size_t limit) {
  if (image == nullptr || limit < sizeof(uint32_t)) return std::nullopt;
  const char* bytes = static_cast<const char*>(image);
  uint32_t magic = 0;
  std::memcpy(&magic, bytes, sizeof(magic));
  if (magic == kWrapperMagic) {
    FatbinWrapper wrapper;
    std::memcpy(&wrapper, bytes, sizeof(wrapper));
    return wrapper.data == nullptr ? std::nullopt
                                   : ReadImage(wrapper.data, SIZE_MAX / 2);
  }
  // The members of a fat binary are an undocumented format: names unknown.
  if (magic == kFatbinMagic) return ImageContents();
  if (IsElf(bytes, limit)) return Elf(bytes, limit).Read();
  if (IsPtx(bytes, limit)) {
    const std::string_view text(bytes, strnlen(bytes, limit));
    auto contents = ReadPtx(text);
    contents.compiled = true;
    contents.bytes = text.size();
    return contents;
  }
  return std::nullopt;
}

}  // namespace dltap::simgpu
