// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#include <algorithm>
#include <iterator>

#include "shim/specs/entry_point.h"

namespace dltap::specs {
namespace {

constexpr ArgumentMeaning kArray0[] = {{Meaning::kStream, "stream"}};
constexpr ArgumentMeaning kArray1[] = {{Meaning::kStream, "stream"}, {Meaning::kCopyKind, "kind"}, {Meaning::kBytes, "width"}, {Meaning::kBytes, "height"}, {Meaning::kBytes, "=2"}, {Meaning::kPointerDst, "dst"}, {Meaning::kPointerSrc, "src"}};
constexpr ArgumentMeaning kArray2[] = {{Meaning::kKernel, "function"}, {Meaning::kStream, "config.stream"}, {Meaning::kDimGridX, "config.grid.x"}, {Meaning::kDimBlockX, "block.x"}, {Meaning::kDtypeAll, "=f32"}, {Meaning::kOperation, "operation"}};
constexpr ArgumentMeaning kArray3[] = {{Meaning::kBytes, "size"}, {Meaning::kPointerMemory, "memory"}};

constexpr EntryPointInfo kTable[] = {
    {.symbol = "toyBind",
     .library = Library::kCudart,
     .role = Role::kState,
     .kind = Kind::kOther,
     .op_kind = OpKind::kUnknown,
     .layer_class = std::nullopt,
     .direction = Direction::kNone,
     .reason = "",
     .arguments = kArray0,
     .routes = 3,
     .blocking = false,
     .autotune = false},
    {.symbol = "toyCopy",
     .library = Library::kCudart,
     .role = Role::kRecord,
     .kind = Kind::kMemcpy,
     .op_kind = OpKind::kUnknown,
     .layer_class = std::nullopt,
     .direction = Direction::kNone,
     .reason = "",
     .arguments = kArray1,
     .routes = 3,
     .blocking = true,
     .autotune = false},
    {.symbol = "toyGetName",
     .library = Library::kCudart,
     .role = Role::kCount,
     .kind = Kind::kOther,
     .op_kind = OpKind::kUnknown,
     .layer_class = std::nullopt,
     .direction = Direction::kNone,
     .reason = "",
     .arguments = {},
     .routes = 3,
     .blocking = false,
     .autotune = false},
    {.symbol = "toyLaunch_v2",
     .library = Library::kCudart,
     .role = Role::kRecord,
     .kind = Kind::kLaunch,
     .op_kind = OpKind::kUnknown,
     .layer_class = LayerClass::kGemm,
     .direction = Direction::kForward,
     .reason = "",
     .arguments = kArray2,
     .routes = 3,
     .blocking = false,
     .autotune = false},
    {.symbol = "toyMalloc",
     .library = Library::kCudart,
     .role = Role::kRecord,
     .kind = Kind::kMalloc,
     .op_kind = OpKind::kUnknown,
     .layer_class = std::nullopt,
     .direction = Direction::kNone,
     .reason = "",
     .arguments = kArray3,
     .routes = 3,
     .blocking = false,
     .autotune = false},
};

// Indices into kTable, sorted by symbol.
constexpr uint16_t kBySymbol[] = {
    0, 1, 2, 3, 4,
};

}  // namespace

std::span<const EntryPointInfo> AllEntryPoints() { return kTable; }

const EntryPointInfo* FindEntryPoint(std::string_view symbol) {
  const auto* found = std::ranges::lower_bound(
      kBySymbol, symbol, {}, [](uint16_t i) { return kTable[i].symbol; });
  if (found == std::end(kBySymbol) || kTable[*found].symbol != symbol) {
    return nullptr;
  }
  return &kTable[*found];
}

}  // namespace dltap::specs
