// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/function_names.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "analyzer/reader/hex_text.h"
#include "analyzer/reader/mapped_file.h"

namespace dltap::analyzer {
namespace {

using Bytes = std::span<const uint8_t>;

template <typename T>
std::optional<T> ReadAt(Bytes bytes, uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

Bytes PartOf(Bytes bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.subspan(offset, size);
}

std::vector<Elf64_Shdr> SectionsOf(Bytes bytes) {
  std::vector<Elf64_Shdr> sections;
  const auto header = ReadAt<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_shentsize != sizeof(Elf64_Shdr)) {
    return sections;
  }
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto section = ReadAt<Elf64_Shdr>(
        bytes, header->e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section) break;
    sections.push_back(*section);
  }
  return sections;
}

std::string BuildIdIn(Bytes notes) {
  uint64_t at = 0;
  while (const auto note = ReadAt<Elf64_Nhdr>(notes, at)) {
    const uint64_t name = at + sizeof(*note);
    const uint64_t id = name + ((uint64_t{note->n_namesz} + 3) & ~uint64_t{3});
    const Bytes owner = PartOf(notes, name, note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID && owner.size() == 4 &&
        std::memcmp(owner.data(), "GNU", 4) == 0) {
      return HexText(PartOf(notes, id, note->n_descsz));
    }
    at = id + ((uint64_t{note->n_descsz} + 3) & ~uint64_t{3});
  }
  return "";
}

bool HasBuildId(Bytes bytes, const std::vector<Elf64_Shdr>& sections,
                const std::string& build_id) {
  return std::ranges::any_of(sections, [&](const Elf64_Shdr& section) {
    return section.sh_type == SHT_NOTE &&
           BuildIdIn(PartOf(bytes, section.sh_offset, section.sh_size)) ==
               build_id;
  });
}

std::string Demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return text != nullptr ? std::string(text.get()) : name;
}

}  // namespace

template <typename Section, typename Data>
void FunctionNames::AddSymbols(const Section& table, const Section& names,
                               const Data& bytes, Functions& out) {
  const Bytes symbols = PartOf(bytes, table.sh_offset, table.sh_size);
  const Bytes texts = PartOf(bytes, names.sh_offset, names.sh_size);
  for (uint64_t at = 0; const auto symbol = ReadAt<Elf64_Sym>(symbols, at);
       at += sizeof(Elf64_Sym)) {
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_value == 0 ||
        symbol->st_size == 0 || symbol->st_name >= texts.size()) {
      continue;
    }
    const auto* text =
        reinterpret_cast<const char*>(texts.data()) + symbol->st_name;
    out.push_back(
        {symbol->st_value, symbol->st_value + symbol->st_size,
         std::string(text, strnlen(text, texts.size() - symbol->st_name))});
  }
}

FunctionNames::Functions FunctionNames::Read(const std::string& object,
                                             const std::string& build_id) {
  Functions functions;
  if (build_id.empty()) return functions;
  const absl::StatusOr<MappedFile> file = MappedFile::Map(object);
  if (!file.ok()) return functions;
  const Bytes bytes = file->bytes();
  const std::vector<Elf64_Shdr> sections = SectionsOf(bytes);
  if (!HasBuildId(bytes, sections, build_id)) return functions;
  for (const Elf64_Shdr& section : sections) {
    const bool has_symbols =
        section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
    if (has_symbols && section.sh_link < sections.size()) {
      AddSymbols(section, sections[section.sh_link], bytes, functions);
    }
  }
  std::ranges::stable_sort(functions, {}, &Function::begin);
  return functions;
}

// The call ends before the address that it returns to.
std::string FunctionNames::At(const std::string& object,
                              const std::string& build_id, uint64_t address) {
  if (address == 0) return "";
  const auto [it, is_new] = objects_.try_emplace({object, build_id});
  if (is_new) it->second = Read(object, build_id);
  const Functions& functions = it->second;
  const uint64_t code = address - 1;
  const auto after =
      std::ranges::upper_bound(functions, code, {}, &Function::begin);
  if (after == functions.begin() || code >= (after - 1)->end) return "";
  return Demangled((after - 1)->name);
}

}  // namespace dltap::analyzer
