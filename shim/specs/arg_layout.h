// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_ARG_LAYOUT_H_
#define DLTAP_SHIM_SPECS_ARG_LAYOUT_H_

#include <cstdint>

#include "vocabulary.h"

namespace dltap::specs {

// One recorded argument. Little-endian, aligned to its width. The name is the
// header's; "config.gridDim.x" for a member of a structure passed by value or
// by pointer; an output parameter's is that of the parameter, the field holds
// what it pointed to after success (0 otherwise).
struct ArgField {
  uint16_t name;   // NameOf() in generated/tap_tables.h
  uint8_t offset;  // in the payload
  uint8_t width;   // 1, 2, 4 or 8 bytes
  ArgKind kind;
  Meaning meaning;
};

// The payload of one entry point's record: 16 bytes lie in the first slot, 32
// in each further one, so at most kMaxPayloadBytes.
struct ArgLayout {
  uint16_t first_field;  // FieldsOf() in generated/tap_tables.h
  uint8_t field_count;
  uint8_t payload_bytes;
};

inline constexpr int kMaxPayloadBytes = 112;

}  // namespace dltap::specs

#endif  // DLTAP_SHIM_SPECS_ARG_LAYOUT_H_
