// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_NVTX_NAMES_H_
#define DLTAP_SHIM_TAP_ENTRY_NVTX_NAMES_H_

#include <cstdint>
#include <cwchar>

// The names of NVTX domains and registered strings, kept for ever, since
// programs keep handles in statics. Any thread, also before the session.
namespace dltap::shim::nvtx {

inline constexpr uint32_t kMaxWideBytes = 1024;

// What our own NVTX handles point to.
struct Name;
struct Spelling {
  const char* text;
  uint32_t length;
};

// Where names are kept is there from now on.
void PrepareNames();
// Keeps a registered string, the same for the same text; nullptr when there is
// no room (counted). Of more than kMaxTextBytes the names of operations are
// kept (hlo_names.h), else what comes first (counted).
Name* Keep(const char* text);
Name* KeepWide(const wchar_t* text);
// A domain is one of its own, whatever it is called.
Name* KeepDomain(const char* name);
Name* KeepDomainWide(const wchar_t* name);

// The name behind a handle, which may be another tool's or the older
// library's; nullptr: not known, or there is none.
Name* OfHandle(const void* handle);
// The same of any word, which need be no handle: only what we gave out.
Name* OfOwnHandle(const void* word);
// `handle`, another's, stands for that text from now on.
void KnowHandle(const void* handle, Name* name);

Spelling SpellingOf(const Name& name);
// The name's text id in the running session and epoch; nullptr: 0.
uint32_t TextOf(Name* name);
// The same, but 0 where it would have to be defined among masses of others.
uint32_t TextOfDetail(Name* name);

// UTF-8 of a wide string, cut at the capacity. Returns its length.
uint32_t Narrow(const wchar_t* wide, char* out, uint32_t capacity);

}  // namespace dltap::shim::nvtx

#endif  // DLTAP_SHIM_TAP_ENTRY_NVTX_NAMES_H_
