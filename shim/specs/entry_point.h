// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_ENTRY_POINT_H_
#define DLTAP_SHIM_SPECS_ENTRY_POINT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "vocabulary.h"

namespace dltap::specs {

// One argument that means something: {kDimM, "m"}, {kDtypeA, "Atype"}. The
// argument is a field of the entry point's argument layout, whose meaning a
// trace carries in-band, or a constant written "=f32".
struct ArgumentMeaning {
  Meaning meaning;
  std::string_view argument;
};

// What shim/specs/*.toml says of one vendor function. All views point into
// constant tables. Empty view or span: the spec does not say.
struct EntryPointInfo {
  std::string_view symbol;  // raw exported name: "cuMemAlloc_v2"
  Library library;
  Role role;
  Kind kind;
  // What it computes, where class and direction do not tell; else kUnknown.
  OpKind op_kind;
  std::optional<LayerClass> layer_class;
  Direction direction;
  std::string_view reason;  // why a kNot function is not wrapped
  // An argument has one meaning; kBytes stands at each factor of a byte count.
  std::span<const ArgumentMeaning> arguments;
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
