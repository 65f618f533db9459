// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_LOADED_OBJECTS_H_
#define DLTAP_SHIM_TAP_ENTRY_LOADED_OBJECTS_H_

namespace dltap::shim {

// Where vendor functions are. Everything here walks dl_iterate_phdr, which
// holds the dynamic linker's list lock, so objects stay mapped meanwhile; no
// allocation, dlerror() and errno untouched. Tens of microseconds: cold paths.

// The vendor's `symbol`, of a library whose SONAME begins with `soname_prefix`
// ("libcublas.so"; renamed ones, "libcublas-1a2b.so.13", count): first one that
// the object containing `caller` needs by name, else any that is loaded. Never
// a definition in our own object. nullptr: none.
void* FindVendorFunction(const char* soname_prefix, const char* symbol,
                         const void* caller);

// A definition of `symbol` in any loaded object but ours, nullptr: none.
void* FindAnyFunction(const char* symbol);

// What the dlsym filter must know of the object that contains `address`.
struct ObjectFacts {
  bool found = false;
  bool is_ours = false;
  bool is_vendor = false;       // a library of NVIDIA's (or its simulation)
  bool is_interposer = false;   // defines dlsym itself
  bool defines_symbol = false;  // exports the name asked for
};
ObjectFacts FactsOf(const void* address, const char* symbol);

// Does `address` lie in our own object?
bool IsOurs(const void* address);

// The C library's own dlsym, found in its symbol table.
void* FindLibcFunction(const char* symbol);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_LOADED_OBJECTS_H_
