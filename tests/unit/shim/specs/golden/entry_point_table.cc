// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#include <algorithm>
#include <iterator>

#include "shim/specs/entry_point.h"

namespace dltap::specs {
namespace {

constexpr ArgumentMeaning kArray0[] = {{"dst", "dst"}, {"src", "src"}};
constexpr std::string_view kArray1[] = {"width", "height", "=2"};
constexpr ArgumentMeaning kArray2[] = {{"grid_x", "config.grid.x"}, {"block_x", "block.x"}};
constexpr ArgumentMeaning kArray3[] = {{"all", "=f32"}};
constexpr ArgumentMeaning kArray4[] = {{"function", "function"}};
constexpr ArgumentMeaning kArray5[] = {{"memory", "memory"}};
constexpr std::string_view kArray6[] = {"size"};

constexpr EntryPointInfo kTable[] = {
    {.symbol = "toyBind",
     .library = Library::kCudart,
     .role = Role::kState,
     .kind = Kind::kOther,
     .layer_class = "",
     .direction = "",
     .reason = "",
     .handle = "",
     .stream = "stream",
     .event = "",
     .copy_kind = "",
     .bytes = {},
     .dims = {},
     .dtypes = {},
     .transposed = {},
     .pointers = {},
     .routes = 3,
     .blocking = false,
     .autotune = false},
    {.symbol = "toyCopy",
     .library = Library::kCudart,
     .role = Role::kRecord,
     .kind = Kind::kMemcpy,
     .layer_class = "",
     .direction = "",
     .reason = "",
     .handle = "",
     .stream = "stream",
     .event = "",
     .copy_kind = "kind",
     .bytes = kArray1,
     .dims = {},
     .dtypes = {},
     .transposed = {},
     .pointers = kArray0,
     .routes = 3,
     .blocking = true,
     .autotune = false},
    {.symbol = "toyGetName",
     .library = Library::kCudart,
     .role = Role::kCount,
     .kind = Kind::kOther,
     .layer_class = "",
     .direction = "",
     .reason = "",
     .handle = "",
     .stream = "",
     .event = "",
     .copy_kind = "",
     .bytes = {},
     .dims = {},
     .dtypes = {},
     .transposed = {},
     .pointers = {},
     .routes = 3,
     .blocking = false,
     .autotune = false},
    {.symbol = "toyLaunch_v2",
     .library = Library::kCudart,
     .role = Role::kRecord,
     .kind = Kind::kLaunch,
     .layer_class = "gemm",
     .direction = "forward",
     .reason = "",
     .handle = "",
     .stream = "config.stream",
     .event = "",
     .copy_kind = "",
     .bytes = {},
     .dims = kArray2,
     .dtypes = kArray3,
     .transposed = {},
     .pointers = kArray4,
     .routes = 3,
     .blocking = false,
     .autotune = false},
    {.symbol = "toyMalloc",
     .library = Library::kCudart,
     .role = Role::kRecord,
     .kind = Kind::kMalloc,
     .layer_class = "",
     .direction = "",
     .reason = "",
     .handle = "",
     .stream = "",
     .event = "",
     .copy_kind = "",
     .bytes = kArray6,
     .dims = {},
     .dtypes = {},
     .transposed = {},
     .pointers = kArray5,
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
