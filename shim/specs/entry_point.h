// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_ENTRY_POINT_H_
#define DLTAP_SHIM_SPECS_ENTRY_POINT_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "shim/specs/roles.h"

namespace dltap::specs {

// One argument that means something: {"m", "m"}, {"a", "Atype"}. `argument` is
// the name of a field of the entry point's argument layout (which a trace
// carries in-band), or a constant written "=f32".
struct ArgumentMeaning {
  std::string_view meaning;
  std::string_view argument;
};

// What shim/specs/*.toml says of one vendor function. All views point into
// constant tables. Empty view or span: the spec does not say.
struct EntryPointInfo {
  std::string_view symbol;  // raw exported name: "cuMemAlloc_v2"
  Library library;
  Role role;
  Kind kind;
  std::string_view layer_class;  // "conv", "gemm"; docs/design.md section 5
  std::string_view direction;    // "forward", "backward_data", ...
  std::string_view reason;       // why a kNot function is not wrapped
  std::string_view handle;       // argument that knows the stream
  std::string_view stream;       // argument that is the stream
  std::string_view event;
  std::string_view copy_kind;  // argument, or "=h2d", "=d2h", ...
  // Factors of the byte count: arguments, or constants written "=2".
  std::span<const std::string_view> bytes;
  std::span<const ArgumentMeaning> dims;
  std::span<const ArgumentMeaning> dtypes;
  std::span<const ArgumentMeaning> transposed;
  std::span<const ArgumentMeaning> pointers;
  uint8_t routes;  // kRouteSymbol, ...
  bool blocking;   // the call may wait for the device
  bool autotune;   // runs trial kernels that are no work of the model
};

// Every function of every vendor header, sorted by library, then name: the
// index is the value of specs::EntryPoint (generated/entry_points.h).
std::span<const EntryPointInfo> AllEntryPoints();

// nullptr when no vendor header declares `symbol`.
const EntryPointInfo* FindEntryPoint(std::string_view symbol);

}  // namespace dltap::specs

#endif  // DLTAP_SHIM_SPECS_ENTRY_POINT_H_
