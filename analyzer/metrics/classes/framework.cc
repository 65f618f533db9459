// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/classes/framework.h"

#include <set>
#include <string_view>

#include "absl/strings/str_split.h"

namespace dltap::analyzer {
namespace {

struct Row {
  std::string_view word;
  Framework framework;
};
constexpr Row kNames[] = {{"torch", Framework::kTorch},
                          {"PyTorch", Framework::kTorch},
                          {"tensorflow", Framework::kTensorflow},
                          {"jax", Framework::kJax},
                          {"mxnet", Framework::kMxnet}};

// "torch 2.11.0", or "torch".
Framework Named(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(' '));
  for (const Row& row : kNames) {
    if (name == row.word) return row.framework;
  }
  return Framework::kUnknown;
}

// Namespaces that only these compile kernels in.
constexpr Row kKernels[] = {{"at::native::", Framework::kTorch},
                            {"tensorflow::", Framework::kTensorflow},
                            {"mxnet::", Framework::kMxnet}};

Framework OfKernel(std::string_view name) {
  for (const Row& row : kKernels) {
    if (name.find(row.word) != std::string_view::npos) return row.framework;
  }
  return Framework::kUnknown;
}

}  // namespace

Framework FrameworkOf(const std::vector<std::string>& names,
                      const Tallies& tallies) {
  std::set<Framework> found;
  for (const std::string& each : names) {
    const std::vector<std::string> parts = absl::StrSplit(each, ", ");
    for (const std::string& name : parts) found.insert(Named(name));
  }
  if (found.size() != 1) {  // loaded is not used
    found.clear();
    for (const auto& [key, sums] : tallies.kernels) {
      const Framework whose = OfKernel(key.first);
      if (whose != Framework::kUnknown) found.insert(whose);
    }
  }
  return found.size() == 1 ? *found.begin() : Framework::kUnknown;
}

}  // namespace dltap::analyzer
