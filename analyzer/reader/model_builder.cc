// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/model_builder.h"

#include <utility>

#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

// Two processes may have recorded one function with different layouts.
std::string KeyOf(const EntryPoint& entry) {
  std::string key = entry.symbol + '\0' + entry.library;
  for (const ArgLayout& arg : entry.args) {
    key += '\0' + arg.name;
    key += static_cast<char>(arg.offset);
    key += static_cast<char>(arg.width);
    key += static_cast<char>(arg.kind);
    key += static_cast<char>(arg.meaning);
  }
  return key;
}

}  // namespace

EntryPointId ModelBuilder::AddEntryPoint(EntryPoint entry) {
  const EntryPointId next(model_.entry_points.size());
  const auto [it, added] = entry_points_.try_emplace(KeyOf(entry), next);
  if (added) {
    entry.info = specs::FindEntryPoint(entry.symbol);
    model_.entry_points.push_back(std::move(entry));
  }
  return it->second;
}

EntryPointId ModelBuilder::UnknownEntryPoint() {
  EntryPoint unknown;
  unknown.symbol = "unknown";
  return AddEntryPoint(std::move(unknown));
}

OperationId ModelBuilder::AddOperation(OperationNodes nodes) {
  model_.operations.push_back(std::move(nodes));
  return OperationId(model_.operations.size() - 1);
}

SiteId ModelBuilder::AddSite(const LaunchSite& site) {
  const SiteId next(model_.sites.size());
  const auto [it, is_new] = sites_.try_emplace(site, next);
  if (is_new) model_.sites.push_back(site);
  return it->second;
}

}  // namespace dltap::analyzer
