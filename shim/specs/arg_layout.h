// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_ARG_LAYOUT_H_
#define DLTAP_SHIM_SPECS_ARG_LAYOUT_H_

#include <cstdint>

namespace dltap::specs {

// How the bytes of a recorded argument are read. Written to traces: values are
// never reused.
enum class ArgKind : uint8_t {
  kInt = 1,
  kUint = 2,
  kFloat = 3,
  kPointer = 4,  // of data: the collector clears it under DLTAP_POINTERS=0
  kEnum = 5,     // signed, kept in the fewest of 1, 2, 4 bytes that hold it
  kHandle = 6,   // of an opaque vendor object
};

// One recorded argument. Little-endian, aligned to its width. The name is the
// header's; "config.gridDim.x" for a member of a structure passed by value or
// by pointer; an output parameter's is that of the parameter, the field holds
// what it pointed to after success (0 otherwise).
struct ArgField {
  uint16_t name;   // NameOf() in generated/tap_tables.h
  uint8_t offset;  // in the payload
  uint8_t width;   // 1, 2, 4 or 8 bytes
  ArgKind kind;
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
