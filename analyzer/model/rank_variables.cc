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
  for (const specs::Launcher& launcher : specs::kLaunchers) {
    const std::optional<int> rank = ValueOf(variables, launcher.rank);
    if (!rank) continue;
    return {rank, launcher.ranks != nullptr ? ValueOf(variables, launcher.ranks)
                                            : std::nullopt};
  }
  return {};
}

}  // namespace dltap::analyzer
