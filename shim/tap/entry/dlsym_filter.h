// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_DLSYM_FILTER_H_
#define DLTAP_SHIM_TAP_ENTRY_DLSYM_FILTER_H_

#include <cstdint>

#include "shim/tap/entry/loaded_objects.h"

namespace dltap::shim {

// What the filter does with one lookup, decided from facts alone.
enum class LookupAction : uint8_t {
  kPass = 0,     // the real dlsym answers
  kWrap = 1,     // our wrapper, when the real function exists
  kResolve = 2,  // the same, but the handle's own answer may be ourselves
  kNext = 3,     // the real dlsym, which finds us, if we stand for anything
};

struct Lookup {
  void* handle;
  const char* name;
  bool is_wrapped;  // the name is in our table
  ObjectFacts caller;
};

// Rules, in order (README.md): names of other families pass; unwrapped names
// pass; RTLD_NEXT passes, unless it would find what only we define; lookups by
// ourselves, by the vendor's libraries, by other interposers and by stubs of
// the same name pass.
LookupAction Decide(const Lookup& lookup);

// Two characters tell most names apart: "cu", "nc", "nv" and "__".
bool IsVendorName(const char* name);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_DLSYM_FILTER_H_
