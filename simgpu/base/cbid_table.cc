// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/cbid_table.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace dltap::simgpu {
namespace {

struct CbidRow {
  const char* symbol;
  uint32_t cbid;
  const char* full_name;
};

// Sorted by symbol.
constexpr CbidRow kRuntimeRows[] = {
#include "runtime_cbids.inc"
};
constexpr CbidRow kDriverRows[] = {
#include "driver_cbids.inc"
};

std::span<const CbidRow> RowsOf(ApiDomain domain) {
  switch (domain) {
    case ApiDomain::kRuntime: return kRuntimeRows;
    case ApiDomain::kDriver: return kDriverRows;
    case ApiDomain::kNone: break;
  }
  return {};
}

}  // namespace

uint32_t CbidOf(ApiDomain domain, std::string_view symbol) {
  // CUDA 13.0's runtime reports what nvcc 13 emits as cudaLaunchKernel, not by
  // its own id, and a launch's configuration not at all (tests/gpu/results).
  if (symbol.starts_with("__cudaLaunchKernel")) symbol.remove_prefix(2);
  if (symbol.ends_with("CallConfiguration")) return 0;
  const auto rows = RowsOf(domain);
  const auto row = std::lower_bound(rows.begin(), rows.end(), symbol,
                                    [](const CbidRow& r, std::string_view s) {
                                      return std::string_view(r.symbol) < s;
                                    });
  return row != rows.end() && row->symbol == symbol ? row->cbid : 0;
}

const char* NameOfCbid(ApiDomain domain, uint32_t cbid) {
  for (const CbidRow& row : RowsOf(domain)) {
    if (row.cbid == cbid) return row.full_name;
  }
  return nullptr;
}

}  // namespace dltap::simgpu
