// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/gpu_option.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dltap::analyzer {
namespace {

// Those that share the longest beginning with what was typed: "h100-sxm5" is
// near h100-sxm, "a100" near each A100. None where hardly anything is shared.
std::vector<std::string> NearGpus(std::string_view typed) {
  constexpr size_t kLeastCommon = 2;
  size_t most_common = kLeastCommon;
  std::vector<std::string> near;
  for (const opmodel::GpuSpec& gpu : opmodel::AllGpus()) {
    const auto [end, other] = std::mismatch(typed.begin(), typed.end(),
                                            gpu.name.begin(), gpu.name.end());
    const auto common = static_cast<size_t>(end - typed.begin());
    if (common > most_common) near.clear();
    if (common >= most_common) near.emplace_back(gpu.name);
    most_common = std::max(most_common, common);
  }
  return near;
}

}  // namespace

const opmodel::GpuSpec* GpuNamed(const std::string& name) {
  const opmodel::GpuSpec* gpu = opmodel::FindGpu(name);
  return gpu != nullptr ? gpu : opmodel::FindGpuByProduct(name);
}

std::string KnownGpus() {
  std::string names;
  for (const opmodel::GpuSpec& gpu : opmodel::AllGpus()) {
    names.append(names.empty() ? "" : ", ").append(gpu.name);
  }
  return names;
}

std::string UnknownGpu(const std::string& name) {
  std::string text = absl::StrCat("predict: unknown GPU \"", name, "\"; ");
  const std::vector<std::string> near = NearGpus(name);
  if (!near.empty()) {
    absl::StrAppend(&text, "did you mean ", absl::StrJoin(near, ", "), "? ");
  }
  return absl::StrCat(text, "known are: ", KnownGpus());
}

}  // namespace dltap::analyzer
