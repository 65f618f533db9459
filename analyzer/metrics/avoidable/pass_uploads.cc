// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/pass_uploads.h"

#include <utility>

namespace dltap::analyzer {
namespace {

// Of as many bytes each time: nets that are asked one after the other have an
// input each, and a batch and the next one are two.
constexpr uint64_t kLeastTimes = 3;

}  // namespace

void PassUploads::AddUpload(uint64_t bytes, double ns, bool is_new) {
  if (weights_.empty()) return;
  pending_bytes_ += bytes;
  pending_.count |= is_new ? 1 : 0;
  pending_.ns += ns;
}

void PassUploads::AddProduct(uint64_t weights) {
  if (weights_.contains(weights)) EndPass();
  weights_.insert(weights);
  const Sums pending = std::exchange(pending_, {});
  const uint64_t bytes = std::exchange(pending_bytes_, 0);
  if (bytes == 0) return;
  Copies& copies = of_bytes_[bytes];
  ++copies.times;
  copies.sums.count += pending.count;
  copies.sums.ns += pending.ns;
}

void PassUploads::EndPass() {
  for (const auto& [bytes, copies] : of_bytes_) {
    if (copies.times < kLeastTimes) continue;
    sums_.count += copies.sums.count;
    sums_.ns += copies.sums.ns;
  }
  of_bytes_.clear();
  weights_.clear();
  pending_ = {};
  pending_bytes_ = 0;
}

PassUploads::Sums PassUploads::Take() {
  EndPass();
  return std::exchange(sums_, {});
}

}  // namespace dltap::analyzer
