// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/loaded_objects.h"

#include <link.h>

#include <cstring>

#include "shim/tap/entry/elf_symbols.h"

namespace dltap::shim {
namespace {

// File names of libraries that look each other up and must get real pointers.
constexpr const char* kVendorPrefixes[] = {
    "libcuda.so",       "libcudart",       "libcudnn",   "libcublas",
    "libcusolver",      "libcusparse",     "libcufft",   "libcurand",
    "libcufile",        "libcupti",        "libnccl",    "libnvrtc",
    "libnvJitLink",     "libnvidia-",      "libnvshmem", "libnvptxcompiler",
    "libnvToolsExt",    "libcudadebugger", "libnvblas",  "libnvperf",
    "libcheckpoint",    "libnppc",         "libnvjpeg",  "libdltapsim",
    "libToolsInjection"};

bool HasPrefix(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

const char* FileName(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

bool Contains(const dl_phdr_info& info, const void* address) {
  const auto target = reinterpret_cast<ElfW(Addr)>(address);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const ElfW(Addr) begin = info.dlpi_addr + segment.p_vaddr;
    if (target >= begin && target < begin + segment.p_memsz) return true;
  }
  return false;
}

// Any address of this object.
const char kOurs = 0;

// SONAME, else the file's name: some builds rename the file only.
const char* NameOf(const dl_phdr_info& info, const ElfObject& object) {
  if (*object.soname() != '\0') return object.soname();
  return info.dlpi_name != nullptr ? FileName(info.dlpi_name) : "";
}

bool IsVendorName(const char* name) {
  for (const char* prefix : kVendorPrefixes) {
    if (HasPrefix(name, prefix)) return true;
  }
  return false;
}

// Does a library of that name belong to the prefix "libcublas.so"? Also when a
// package has renamed it: "libcublas-1a2b3c4d.so.13".
bool IsNamed(const char* name, const char* soname_prefix) {
  if (HasPrefix(name, soname_prefix)) return true;
  const char* end = strstr(soname_prefix, ".so");
  if (end == nullptr) return false;
  const auto length = static_cast<size_t>(end - soname_prefix);
  return strncmp(name, soname_prefix, length) == 0 && name[length] == '-';
}

struct VendorSearch {
  const char* soname_prefix;
  const char* symbol;
  const void* caller;
  char wanted[128];  // the name that the caller needs; empty: any
  void* found;
};

// Pass 1: which library of the vendor does the caller's object need?
int FindNeeded(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<VendorSearch*>(data);
  if (!Contains(*info, search->caller)) return 0;
  const ElfObject object = ElfObject::FromPhdrInfo(*info);
  for (int i = 0; object.Needed(i) != nullptr; ++i) {
    const char* needed = object.Needed(i);
    if (IsNamed(needed, search->soname_prefix) &&
        strlen(needed) < sizeof(search->wanted)) {
      strcpy(search->wanted, needed);
      break;
    }
  }
  return 1;
}

// Pass 2: the library of that name, or any of the vendor's.
int FindDefinition(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<VendorSearch*>(data);
  if (Contains(*info, &kOurs)) return 0;
  const ElfObject object = ElfObject::FromPhdrInfo(*info);
  if (!object.HasSymbols()) return 0;
  const char* name = NameOf(*info, object);
  if (*search->wanted != '\0' && strcmp(name, search->wanted) != 0) return 0;
  if (!IsNamed(name, search->soname_prefix)) return 0;
  search->found = object.FindFunction(search->symbol);
  return search->found != nullptr ? 1 : 0;
}

struct AnySearch {
  const char* symbol;
  void* found;
};

int FindAny(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<AnySearch*>(data);
  if (Contains(*info, &kOurs)) return 0;
  search->found = ElfObject::FromPhdrInfo(*info).FindFunction(search->symbol);
  return search->found != nullptr ? 1 : 0;
}

struct FactsSearch {
  const void* address;
  const char* symbol;
  ObjectFacts facts;
};

int CollectFacts(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<FactsSearch*>(data);
  if (!Contains(*info, search->address)) return 0;
  ObjectFacts& facts = search->facts;
  const ElfObject object = ElfObject::FromPhdrInfo(*info);
  facts.found = true;
  facts.is_ours = Contains(*info, &kOurs);
  facts.is_vendor = IsVendorName(NameOf(*info, object));
  facts.defines_symbol = object.FindFunction(search->symbol) != nullptr;
  // (libtorch_cpu exports InitializeInjection and is no interposer.)
  facts.is_interposer = object.FindFunction("dlsym") != nullptr &&
                        object.FindFunction("gnu_get_libc_version") == nullptr;
  return 1;
}

int FindInLibc(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<AnySearch*>(data);
  const ElfObject object = ElfObject::FromPhdrInfo(*info);
  if (object.FindFunction("gnu_get_libc_version") == nullptr) return 0;
  search->found = object.FindFunction(search->symbol);
  return search->found != nullptr ? 1 : 0;
}

}  // namespace

void* FindVendorFunction(const char* soname_prefix, const char* symbol,
                         const void* caller) {
  if (*soname_prefix == '\0') return nullptr;
  VendorSearch search = {soname_prefix, symbol, caller, {}, nullptr};
  if (caller != nullptr) dl_iterate_phdr(FindNeeded, &search);
  dl_iterate_phdr(FindDefinition, &search);
  if (search.found == nullptr && *search.wanted != '\0') {
    *search.wanted = '\0';
    dl_iterate_phdr(FindDefinition, &search);
  }
  return search.found;
}

void* FindAnyFunction(const char* symbol) {
  AnySearch search = {symbol, nullptr};
  dl_iterate_phdr(FindAny, &search);
  return search.found;
}

ObjectFacts FactsOf(const void* address, const char* symbol) {
  FactsSearch search = {address, symbol, {}};
  dl_iterate_phdr(CollectFacts, &search);
  return search.facts;
}

bool IsOurs(const void* address) { return FactsOf(address, "").is_ours; }

void* FindLibcFunction(const char* symbol) {
  AnySearch search = {symbol, nullptr};
  dl_iterate_phdr(FindInLibc, &search);
  return search.found;
}

}  // namespace dltap::shim
