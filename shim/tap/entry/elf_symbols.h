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

  // A variable that it defines; `bytes` is its size.
  void* FindVariable(const char* name, uint64_t* bytes) const;

  // The i-th DT_NEEDED name, nullptr after the last.
  const char* Needed(int i) const;

 private:
  const ElfW(Sym) * Find(const SymbolName& name) const;
  const ElfW(Sym) * FindByGnuHash(const SymbolName& name) const;
  const ElfW(Sym) * FindBySysvHash(const SymbolName& name) const;
  bool IsDefinitionOf(uint32_t index, const char* name) const;
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
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_ELF_SYMBOLS_H_
