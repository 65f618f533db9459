// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/base/api_name.h"

#include "shim/specs/entry_point.h"

namespace dltap::analyzer {

std::string_view ApiName(const EntryPoint& entry) {
  std::string_view name = entry.symbol;
  // nsys appends the version in which a function came: "_v7000".
  const size_t version = name.rfind("_v");
  if (entry.info != nullptr && name.starts_with(entry.info->symbol) &&
      version == entry.info->symbol.size()) {
    name = entry.info->symbol;
  }
  if (name.starts_with("__cuda")) name.remove_prefix(2);
  return name;
}

}  // namespace dltap::analyzer
