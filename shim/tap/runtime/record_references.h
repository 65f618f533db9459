// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_RECORD_REFERENCES_H_
#define DLTAP_SHIM_TAP_RUNTIME_RECORD_REFERENCES_H_

#include <cstdint>
#include <span>

#include "shim/tap/runtime/definition_log.h"
#include "shim/trace/layout.h"

// Which definitions a record needs. Collector only.
namespace dltap::shim {

// A place in a record that names a definition. 0 there means none.
struct Reference {
  DefinitionKey key;
  uint8_t* at;     // of the id in the record
  uint32_t width;  // 2, 4 or 8
};

// Up to kMaxReferences of them; the count.
inline constexpr int kMaxReferences = 4;
using References = Reference[kMaxReferences];

// Of an encoded record of any kind.
int ReferencesOf(uint8_t* record, References& out);
// Of a call, its slots in a row.
int ReferencesOf(trace::CallSlot* call, References& out);

// Where calls name what, from the specs. Once, before ReferencesOf(call).
void FindReferences();

// The key under which a record is looked up. False: it explains nothing.
bool KeyOf(std::span<const uint8_t> record, DefinitionKey* key);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_RECORD_REFERENCES_H_
