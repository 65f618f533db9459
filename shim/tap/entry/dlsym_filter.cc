// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/dlsym_filter.h"

#include <dlfcn.h>

#include <atomic>
#include <cerrno>

#include "shim/tap/entry/real_functions.h"
#include "shim/tap/runtime/process_page.h"
#include "tap_tables.h"

namespace {

using RealDlsym = void* (*)(void* handle, const char* name);
using RealDlvsym = void* (*)(void* handle, const char* name,
                             const char* version);

// In two registers: rax, rdx.
struct FilterResult {
  void* replacement;  // nullptr: ask the real dlsym
  void* handle;       // ... with this handle
};

}  // namespace

// Used by dlsym_x86_64.S. No constructor runs before it may be needed.
extern "C" {
[[gnu::visibility("hidden")]] constinit RealDlsym dltap_real_dlsym = nullptr;
[[gnu::visibility("hidden")]] FilterResult dltap_filter_lookup(
    void* handle, const char* name, const void* caller);
[[gnu::visibility("hidden")]] constinit RealDlvsym dltap_real_dlvsym = nullptr;
[[gnu::visibility("hidden")]] FilterResult dltap_filter_versioned(
    void* handle, const char* name, const char* version, const void* caller);
}

namespace dltap::shim {

bool IsVendorName(const char* name) {
  const char a = name[0];
  const char b = a != '\0' ? name[1] : '\0';
  if (a == 'c') return b == 'u';
  if (a == 'n') return b == 'c' || b == 'v';
  return a == '_' && b == '_' && name[2] == 'c' && name[3] == 'u';
}

LookupAction Decide(const Lookup& lookup) {
  if (!lookup.is_wrapped) return LookupAction::kPass;
  const ObjectFacts& caller = lookup.caller;
  if (lookup.handle == RTLD_NEXT) {
    return caller.precedes_us ? LookupAction::kNext : LookupAction::kPass;
  }
  if (caller.is_ours || caller.is_vendor || caller.is_interposer ||
      caller.defines_symbol) {
    return LookupAction::kPass;
  }
  return lookup.handle == RTLD_DEFAULT ? LookupAction::kResolve
                                       : LookupAction::kWrap;
}

namespace {

// The C library's: a lookup there misses, with the message dlerror() should
// give. (RTLD_NEXT would not do: for the main program we come next.)
void* HandleWithoutVendorNames() {
  static constinit std::atomic<void*> known{nullptr};
  void* handle = known.load(std::memory_order_relaxed);
  if (handle == nullptr) {
    handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    known.store(handle, std::memory_order_relaxed);
  }
  return handle != nullptr ? handle : RTLD_NEXT;
}

FilterResult Wrap(specs::EntryPoint entry, void* real, void* handle,
                  const void* caller) {
  const uint32_t word = g_process.word.load(std::memory_order_relaxed);
  if (word == kDisabled) return {real, handle};
  if (!AdoptReal(specs::CounterOf(entry), real, caller)) return {real, handle};
  return {specs::WrapperAddress(entry), handle};
}

struct Request {
  void* handle;
  const char* name;
  const char* version;  // nullptr: of dlsym
  const void* caller;

  void* FindIn(void* where) const {
    return version != nullptr ? dltap_real_dlvsym(where, name, version)
                              : dltap_real_dlsym(where, name);
  }

  // glibc crashes on the empty version where a name has none, as ours.
  bool IsForNoVersion() const { return version != nullptr && *version == '\0'; }

  // Is `function` of the version that is asked for? Its own object knows.
  bool Fits(void* function) const {
    if (version == nullptr) return true;
    Dl_info info{};
    if (dladdr(function, &info) == 0) return false;
    void* object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) return false;
    const bool fits = FindIn(object) == function;
    dlclose(object);
    return fits;
  }
};

// What RTLD_DEFAULT would find without us: the global scope behind us, then
// that of the caller.
void* FindBehindUs(specs::EntryPoint entry, const Request& request) {
  void* found = request.FindIn(RTLD_NEXT);
  if (found != nullptr) return found;
  dlerror();  // a miss of our own
  found = FindInScope(specs::CounterOf(entry), request.caller);
  return found != nullptr && request.Fits(found) ? found : nullptr;
}

// In a program with fixed addresses, the place from which it calls a function
// is the function's address, unless something before it defines one. Its calls
// come to us as those of any program do. nullptr: there is none.
void* EntryOfProgram(const char* name) {
  void* entry = nullptr;
  WithLoadedObjects([&](const LoadedObjects& objects) {
    const SymbolName symbol(name);
    for (int i = 0; i < objects.StartupCount() && entry == nullptr; ++i) {
      const ElfObject elf = objects[i].Elf();
      if (elf.Defines(symbol)) return;
      entry = elf.EntryOfImport(symbol);
    }
  });
  return entry;
}

// None of our names has a version: a look-up of one passes us over, and misses
// by itself, with the message that it gives without us.
FilterResult Miss(const Request& request) {
  if (request.version == nullptr || request.IsForNoVersion()) {
    return {nullptr, HandleWithoutVendorNames()};
  }
  return {nullptr, request.handle};
}

FilterResult Filter(const Request& request) {
  void* const handle = request.handle;
  const char* const name = request.name;
  const void* const caller = request.caller;
  const FilterResult pass = {nullptr, handle};
  const int index = specs::FindWrapped(name);
  if (index < 0) return pass;
  const auto entry = static_cast<specs::EntryPoint>(index);
  const Lookup lookup = {handle, name, true, FactsOf(caller, name)};
  const LookupAction action = Decide(lookup);
  if (action == LookupAction::kPass) return pass;
  if (request.IsForNoVersion()) return Miss(request);
  if (action == LookupAction::kWrap) {
    void* found = request.FindIn(handle);
    if (found == nullptr) return pass;  // the jump sets dlerror() again
    if (found == EntryOfProgram(name)) return pass;
    if (!IsOurs(found)) return Wrap(entry, found, handle, caller);
  }
  if (action == LookupAction::kNext) {
    if (request.FindIn(RTLD_NEXT) != nullptr) return pass;
    dlerror();  // a miss of our own
    return Miss(request);
  }
  if (action == LookupAction::kResolve && EntryOfProgram(name) != nullptr) {
    return pass;
  }
  void* found = FindBehindUs(entry, request);
  if (found == nullptr) return Miss(request);
  return Wrap(entry, found, handle, caller);
}

}  // namespace
}  // namespace dltap::shim

namespace {

void EnsureRealDlsym() {
  if (dltap_real_dlsym != nullptr) [[likely]]
    return;
  dltap_real_dlsym =
      reinterpret_cast<RealDlsym>(dltap::shim::FindNextOf("dlsym"));
}

}  // namespace

FilterResult dltap_filter_versioned(void* handle, const char* name,
                                    const char* version, const void* caller) {
  using dltap::shim::IsVendorName;
  if (dltap_real_dlvsym == nullptr) [[unlikely]] {
    dltap_real_dlvsym =
        reinterpret_cast<RealDlvsym>(dltap::shim::FindNextOf("dlvsym"));
    EnsureRealDlsym();
  }
  if (name == nullptr || !IsVendorName(name)) [[likely]] {
    return {nullptr, handle};
  }
  const int saved_errno = errno;
  const FilterResult result =
      dltap::shim::Filter({handle, name, version, caller});
  errno = saved_errno;
  return result;
}

FilterResult dltap_filter_lookup(void* handle, const char* name,
                                 const void* caller) {
  using dltap::shim::IsVendorName;
  EnsureRealDlsym();
  if (name == nullptr || !IsVendorName(name)) [[likely]] {
    return {nullptr, handle};
  }
  const int saved_errno = errno;
  const FilterResult result =
      dltap::shim::Filter({handle, name, nullptr, caller});
  errno = saved_errno;
  return result;
}
