// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/cuda_api_names.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace dltap::analyzer {
namespace {

struct Alias {
  std::string_view name;
  std::string_view cuda;
};
constexpr Alias kAliases[] = {
    {"hipExtModuleLaunchKernel", "cuLaunchKernel"},
    {"hipExtLaunchKernel", "cudaLaunchKernel"},
    {"hipModuleLaunchKernel", "cuLaunchKernel"},
    {"hipMemcpyWithStream", "cudaMemcpy"},
    {"hipGraphLaunch", "cudaGraphLaunch"},
};

}  // namespace

std::string_view WithoutToolVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at == 0) return name;
  if (name.size() - at < 5) return name;
  const std::string_view digits = name.substr(at + 2);
  const bool all_digits =
      std::all_of(digits.begin(), digits.end(),
                  [](unsigned char c) { return std::isdigit(c) != 0; });
  return all_digits ? name.substr(0, at) : name;
}

const specs::EntryPointInfo* FindApi(std::string_view name) {
  if (const auto* info = specs::FindEntryPoint(name)) return info;
  const std::string_view bare = WithoutToolVersion(name);
  if (const auto* info = specs::FindEntryPoint(bare)) return info;
  for (const Alias& alias : kAliases) {
    if (alias.name == bare) return specs::FindEntryPoint(alias.cuda);
  }
  if (!bare.starts_with("hip")) return nullptr;
  return specs::FindEntryPoint("cuda" + std::string(bare.substr(3)));
}

}  // namespace dltap::analyzer
