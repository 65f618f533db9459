// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/rank_variables.h"

#include <algorithm>
#include <charconv>

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

constexpr std::string_view kRanks[] = {"RANK", "SLURM_PROCID",
                                       "OMPI_COMM_WORLD_RANK", "PMI_RANK"};
constexpr std::string_view kSizes[] = {"WORLD_SIZE", "SLURM_NTASKS",
                                       "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

}  // namespace

RankInfo ParseRankVariables(std::string_view variables) {
  RankInfo info;
  for (const std::string_view name : kRanks) {
    if (!info.rank) info.rank = ValueOf(variables, name);
  }
  for (const std::string_view name : kSizes) {
    if (!info.world_size) info.world_size = ValueOf(variables, name);
  }
  return info;
}

}  // namespace dltap::analyzer
