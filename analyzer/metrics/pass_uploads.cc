// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/pass_uploads.h"

#include <utility>

namespace dltap::analyzer {

void PassUploads::AddUpload(double ns, bool is_new) {
  if (weights_.empty()) return;
  pending_.count |= is_new ? 1 : 0;
  pending_.ns += ns;
}

PassUploads::Sums PassUploads::AddProduct(uint64_t weights) {
  const bool goes_on = !weights_.contains(weights);
  const Sums sums = std::exchange(pending_, {});
  if (!goes_on) Clear();
  weights_.insert(weights);
  return goes_on ? sums : Sums{};
}

void PassUploads::Clear() {
  weights_.clear();
  pending_ = {};
}

}  // namespace dltap::analyzer
