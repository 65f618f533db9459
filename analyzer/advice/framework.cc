// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/framework.h"

#include <set>

namespace dltap::analyzer {
namespace {

struct Row {
  std::string_view word;
  Framework framework;
};
constexpr Row kRows[] = {{"torch ", Framework::kTorch},
                         {"PyTorch ", Framework::kTorch},
                         {"tensorflow", Framework::kTensorflow},
                         {"jax", Framework::kJax},
                         {"mxnet", Framework::kMxnet}};

Framework Named(std::string_view name) {
  for (const Row& row : kRows) {
    if (name.starts_with(row.word)) return row.framework;
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
  for (const std::string& name : names) found.insert(Named(name));
  if (names.empty()) {
    for (const auto& [key, sums] : tallies.kernels) {
      const Framework whose = OfKernel(key.first);
      if (whose != Framework::kUnknown) found.insert(whose);
    }
  }
  return found.size() == 1 ? *found.begin() : Framework::kUnknown;
}

std::string_view Wording::For(Framework framework) const {
  std::string_view own;
  switch (framework) {
    case Framework::kUnknown: break;
    case Framework::kTorch: own = torch; break;
    case Framework::kTensorflow: own = tensorflow; break;
    case Framework::kJax: own = jax; break;
    case Framework::kMxnet: own = mxnet; break;
  }
  return own.empty() ? any : own;
}

}  // namespace dltap::analyzer
