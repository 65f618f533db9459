// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#ifndef DLTAP_GENERATED_TAP_TABLES_H_
#define DLTAP_GENERATED_TAP_TABLES_H_

#include <cstdint>

#include "entry_points.h"
#include "shim/specs/arg_layout.h"
#include "vocabulary.h"

namespace dltap::specs {

// Constant data without relocations.

const ArgLayout& LayoutOf(EntryPoint entry);  // empty unless role record
const ArgField* FieldsOf(const ArgLayout& layout);
const char* NameOf(const ArgField& field);
const char* SymbolOf(EntryPoint entry);
Library LibraryOf(EntryPoint entry);
Role RoleOf(EntryPoint entry);
// The wrapped function with that counter index.
EntryPoint OfCounter(int counter_index);
// -1: not wrapped.
int CounterOf(EntryPoint entry);
// First characters of the SONAME that defines the real function:
// "libcublas.so". Empty: the library is never loaded as such.
const char* SonamePrefix(Library library);

// The wrapped function of that name; -1: there is none. For the dlsym filter:
// no allocation, no lock, usable before constructors.
int FindWrapped(const char* name);
void* WrapperAddress(EntryPoint entry);  // nullptr: not wrapped

}  // namespace dltap::specs

#endif  // DLTAP_GENERATED_TAP_TABLES_H_
