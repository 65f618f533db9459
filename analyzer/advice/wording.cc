// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/wording.h"

namespace dltap::analyzer {

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
