// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_ELF_SYMBOLS_H_
#define DLTAP_SHIM_TAP_ENTRY_ELF_SYMBOLS_H_

#include <link.h>

#include <cstdint>

namespace dltap::shim {

// A name to look up, with what the tables of many objects are asked by.
struct SymbolName {
  explicit SymbolName(const char* name);

  const char* text;
  uint32_t gnu_hash;
};

// The dynamic section of a loaded object, read without the dynamic linker: no
// lock, no allocation, dlerror() untouched. Valid while the object is mapped.
class ElfObject {
 public:
  // `base` is the load address, `dynamic` the mapped PT_DYNAMIC segment.
  ElfObject(ElfW(Addr) base, const ElfW(Dyn) * dynamic);

  // The object behind an entry of dl_iterate_phdr; HasSymbols() is false when
  // it has no dynamic section.
  static ElfObject FromPhdrInfo(const dl_phdr_info& info);

  bool HasSymbols() const { return symbols_ != nullptr && strings_ != nullptr; }

  // DT_SONAME, "" when there is none.
  const char* soname() const { return soname_; }

  // Address of a function that this object defines (the default version where
  // there are several), or nullptr.
  void* FindFunction(const SymbolName& name) const;
  void* FindFunction(const char* name) const {
    return FindFunction(SymbolName(name));
  }

  // Does this object define it, as a function or as one that chooses among
  // several (STT_GNU_IFUNC)?
  bool Defines(const SymbolName& name) const;
  // The function that the loader binds callers to: where there is a choice, it
  // is asked for, which runs code of the object. nullptr: not defined.
  void* Bound(const SymbolName& name) const;

  // Where this object, a program with fixed addresses, enters a function that
  // it only calls: that is the function's address for everybody. nullptr: it
  // has no such place.
  void* EntryOfImport(const SymbolName& name) const;

  // A variable that it defines; `bytes` is its size.
  void* FindVariable(const char* name, uint64_t* bytes) const;

  // Calls visit(name, address) for what the dynamic linker has bound functions
  // of other objects to, as far as it has: a lazy entry that waits leads into
  // this object. `visit` returns true to end the search; then so does this.
  template <typename Visit>
  bool AnyImport(Visit visit) const {
    return AnyRelocation(plt_relocations_, plt_bytes_, 0, visit) ||
           AnyRelocation(relocations_, relocation_bytes_, relative_count_,
                         visit);
  }

  // The i-th DT_NEEDED name, nullptr after the last.
  const char* Needed(int i) const;

 private:
  enum class Kind : uint8_t { kDefinition, kEntry };
  const ElfW(Sym) * Find(const SymbolName& name, Kind kind) const;
  const ElfW(Sym) * FindByGnuHash(const SymbolName& name, Kind kind) const;
  const ElfW(Sym) * FindBySysvHash(const SymbolName& name, Kind kind) const;
  bool Is(uint32_t index, const char* name, Kind kind) const;
  // Those that are not relative come last, fewer than this in any library.
  static constexpr uint64_t kMostRelocations = 1 << 17;

  template <typename Visit>
  bool AnyRelocation(const ElfW(Rela) * table, uint64_t bytes, uint64_t first,
                     Visit visit) const {
    if (table == nullptr || symbols_ == nullptr) return false;
    const uint64_t count = bytes / sizeof(*table);
    for (uint64_t i = first; i < count && i < first + kMostRelocations; ++i) {
      const uint64_t type = ELF64_R_TYPE(table[i].r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(table[i].r_info)];
      void* const* slot =
          reinterpret_cast<void* const*>(base_ + table[i].r_offset);
      if (visit(strings_ + symbol.st_name, *slot)) return true;
    }
    return false;
  }

  template <typename T>
  const T* Pointer(ElfW(Addr) value) const;

  ElfW(Addr) base_ = 0;
  const ElfW(Dyn) * dynamic_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* strings_ = nullptr;
  const char* soname_ = "";
  const uint32_t* gnu_hash_ = nullptr;
  const uint32_t* sysv_hash_ = nullptr;
  const ElfW(Half) * versions_ = nullptr;
  const ElfW(Rela) * plt_relocations_ = nullptr;
  const ElfW(Rela) * relocations_ = nullptr;
  uint64_t plt_bytes_ = 0;
  uint64_t relocation_bytes_ = 0;
  uint64_t relative_count_ = 0;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_ELF_SYMBOLS_H_
