// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/rank_variables.h"

#include <algorithm>
#include <charconv>

#include "shim/specs/launchers.h"

namespace dltap::analyzer {
namespace {

std::optional<int> ValueOf(std::string_view variables, std::string_view name) {
  while (!variables.empty()) {
    const size_t end = std::min(variables.find('\0'), variables.size());
    std::string_view entry = variables.substr(0, end);
    variables.remove_prefix(std::min(end + 1, variables.size()));
    if (!entry.starts_with(name) || entry.size() <= name.size() ||
        entry[name.size()] != '=') {
      continue;
    }
    entry.remove_prefix(name.size() + 1);
    int value = 0;
    const auto parsed =
        std::from_chars(entry.data(), entry.data() + entry.size(), value);
    if (parsed.ec == std::errc() && parsed.ptr == entry.data() + entry.size()) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

RankInfo ParseRankVariables(std::string_view variables) {
  RankInfo out;
  for (const specs::Launcher& launcher : specs::kLaunchers) {
    const std::optional<int> rank = ValueOf(variables, launcher.rank);
    if (!rank) continue;
    // A launcher that does not say how many there are may have been started by
    // one that does. 0 is what that one gives to all of a batch script.
    if (out.rank && (*rank == 0 || rank != out.rank)) continue;
    out.rank = rank;
    if (launcher.ranks == nullptr) continue;
    out.world_size = ValueOf(variables, launcher.ranks);
    break;
  }
  return out;
}

}  // namespace dltap::analyzer
