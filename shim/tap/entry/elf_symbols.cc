// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/elf_symbols.h"

#include "shim/tap/entry/plain_text.h"

namespace dltap::shim {
namespace {

uint32_t GnuHash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) {
    hash = hash * 33 + static_cast<uint8_t>(*name);
  }
  return hash;
}

uint32_t SysvHash(const char* name) {
  uint32_t hash = 0;
  for (; *name != '\0'; ++name) {
    hash = (hash << 4) + static_cast<uint8_t>(*name);
    const uint32_t high = hash & 0xF0000000;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

constexpr ElfW(Half) kHiddenVersion = 0x8000;

bool IsChoice(const ElfW(Sym) & symbol) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
}

bool IsFunction(const ElfW(Sym) & symbol) {
  const int type = ELF64_ST_TYPE(symbol.st_info);
  return type == STT_FUNC || type == STT_NOTYPE;
}

}  // namespace

SymbolName::SymbolName(const char* name)
    : text(name), gnu_hash(GnuHash(name)) {}

ElfObject::ElfObject(ElfW(Addr) base, const ElfW(Dyn) * dynamic)
    : base_(base), dynamic_(dynamic) {
  ElfW(Addr) soname = 0;
  bool has_soname = false;
  for (const ElfW(Dyn)* d = dynamic; d != nullptr && d->d_tag != DT_NULL; ++d) {
    switch (d->d_tag) {
      case DT_SYMTAB: symbols_ = Pointer<ElfW(Sym)>(d->d_un.d_ptr); break;
      case DT_STRTAB: strings_ = Pointer<char>(d->d_un.d_ptr); break;
      case DT_GNU_HASH: gnu_hash_ = Pointer<uint32_t>(d->d_un.d_ptr); break;
      case DT_HASH: sysv_hash_ = Pointer<uint32_t>(d->d_un.d_ptr); break;
      case DT_VERSYM: versions_ = Pointer<ElfW(Half)>(d->d_un.d_ptr); break;
      case DT_JMPREL:
        plt_relocations_ = Pointer<ElfW(Rela)>(d->d_un.d_ptr);
        break;
      case DT_PLTRELSZ: plt_bytes_ = d->d_un.d_val; break;
      case DT_RELA: relocations_ = Pointer<ElfW(Rela)>(d->d_un.d_ptr); break;
      case DT_RELASZ: relocation_bytes_ = d->d_un.d_val; break;
      case DT_RELACOUNT: relative_count_ = d->d_un.d_val; break;
      case DT_SONAME:
        soname = d->d_un.d_val;
        has_soname = true;
        break;
      default: break;
    }
  }
  if (has_soname && strings_ != nullptr) soname_ = strings_ + soname;
}

ElfObject ElfObject::FromPhdrInfo(const dl_phdr_info& info) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr +
                                                   info.dlpi_phdr[i].p_vaddr);
    }
  }
  return ElfObject(info.dlpi_addr, dynamic);
}

// The dynamic linker relocates these addresses in place, except in objects with
// a read-only dynamic section (the vDSO): there they are still offsets.
template <typename T>
const T* ElfObject::Pointer(ElfW(Addr) value) const {
  if (value < base_) value += base_;
  return reinterpret_cast<const T*>(value);
}

bool ElfObject::Is(uint32_t index, const char* name, Kind kind) const {
  const ElfW(Sym)& symbol = symbols_[index];
  const bool is_defined = symbol.st_shndx != SHN_UNDEF;
  if (is_defined != (kind == Kind::kDefinition) || symbol.st_value == 0) {
    return false;
  }
  if (versions_ != nullptr && (versions_[index] & kHiddenVersion) != 0) {
    return false;
  }
  return IsSame(strings_ + symbol.st_name, name);
}

const ElfW(Sym) * ElfObject::FindByGnuHash(const SymbolName& name,
                                           Kind kind) const {
  const uint32_t bucket_count = gnu_hash_[0];
  const uint32_t first_symbol = gnu_hash_[1];
  const uint32_t bloom_words = gnu_hash_[2];
  const auto* bloom = reinterpret_cast<const ElfW(Addr)*>(gnu_hash_ + 4);
  const auto* buckets = reinterpret_cast<const uint32_t*>(bloom + bloom_words);
  const uint32_t* chains = buckets + bucket_count;
  if (bucket_count == 0) return nullptr;
  const uint32_t hash = name.gnu_hash;
  constexpr uint32_t kBits = sizeof(ElfW(Addr)) * 8;
  const ElfW(Addr) word = bloom[hash / kBits % bloom_words];
  const uint32_t second = hash >> gnu_hash_[3];
  if ((word >> hash % kBits & word >> second % kBits & 1) == 0) return nullptr;
  uint32_t index = buckets[hash % bucket_count];
  if (index < first_symbol) return nullptr;
  for (;; ++index) {
    const uint32_t chain = chains[index - first_symbol];
    if ((chain | 1) == (hash | 1) && Is(index, name.text, kind)) {
      return &symbols_[index];
    }
    if ((chain & 1) != 0) return nullptr;
  }
}

const ElfW(Sym) * ElfObject::FindBySysvHash(const SymbolName& name,
                                            Kind kind) const {
  const uint32_t bucket_count = sysv_hash_[0];
  const uint32_t* buckets = sysv_hash_ + 2;
  const uint32_t* chains = buckets + bucket_count;
  if (bucket_count == 0) return nullptr;
  uint32_t index = buckets[SysvHash(name.text) % bucket_count];
  for (; index != 0; index = chains[index]) {
    if (Is(index, name.text, kind)) return &symbols_[index];
  }
  return nullptr;
}

const ElfW(Sym) * ElfObject::Find(const SymbolName& name, Kind kind) const {
  if (!HasSymbols()) return nullptr;
  if (gnu_hash_ != nullptr) return FindByGnuHash(name, kind);
  return sysv_hash_ != nullptr ? FindBySysvHash(name, kind) : nullptr;
}

void* ElfObject::FindFunction(const SymbolName& name) const {
  const ElfW(Sym)* symbol = Find(name, Kind::kDefinition);
  if (symbol == nullptr || !IsFunction(*symbol)) return nullptr;
  return reinterpret_cast<void*>(base_ + symbol->st_value);
}

bool ElfObject::Defines(const SymbolName& name) const {
  const ElfW(Sym)* symbol = Find(name, Kind::kDefinition);
  return symbol != nullptr && (IsFunction(*symbol) || IsChoice(*symbol));
}

void* ElfObject::Bound(const SymbolName& name) const {
  const ElfW(Sym)* symbol = Find(name, Kind::kDefinition);
  if (symbol == nullptr || !IsChoice(*symbol)) return FindFunction(name);
  return reinterpret_cast<void* (*)()>(base_ + symbol->st_value)();
}

void* ElfObject::EntryOfImport(const SymbolName& name) const {
  const ElfW(Sym)* symbol = Find(name, Kind::kEntry);
  if (symbol == nullptr || !IsFunction(*symbol)) return nullptr;
  return reinterpret_cast<void*>(base_ + symbol->st_value);
}

void* ElfObject::FindVariable(const char* name, uint64_t* bytes) const {
  const ElfW(Sym)* symbol = Find(SymbolName(name), Kind::kDefinition);
  if (symbol == nullptr || IsFunction(*symbol)) return nullptr;
  *bytes = symbol->st_size;
  return reinterpret_cast<void*>(base_ + symbol->st_value);
}

const char* ElfObject::Needed(int i) const {
  if (strings_ == nullptr) return nullptr;
  for (const ElfW(Dyn)* d = dynamic_; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_NEEDED && i-- == 0) return strings_ + d->d_un.d_val;
  }
  return nullptr;
}

}  // namespace dltap::shim
