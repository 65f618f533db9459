// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/framework.h"

namespace dltap::analyzer {
namespace {

struct Row {
  std::string_view begins;
  Framework framework;
};
constexpr Row kRows[] = {{"torch ", Framework::kTorch},
                         {"PyTorch ", Framework::kTorch},
                         {"tensorflow", Framework::kTensorflow},
                         {"jax", Framework::kJax},
                         {"mxnet", Framework::kMxnet}};

Framework Named(std::string_view name) {
  for (const Row& row : kRows) {
    if (name.starts_with(row.begins)) return row.framework;
  }
  return Framework::kUnknown;
}

}  // namespace

Framework FrameworkOf(const std::vector<std::string>& names) {
  if (names.empty()) return Framework::kUnknown;
  const Framework first = Named(names.front());
  for (const std::string& name : names) {
    if (Named(name) != first) return Framework::kUnknown;
  }
  return first;
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
