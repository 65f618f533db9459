// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/grown_caches.h"

#include <algorithm>

#include "analyzer/attribution/calls/op_kinds.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;

// More copies between two operations of a library are of something else.
constexpr size_t kMostCopies = 64;
// A pass over the prompt has as many new tokens as keys.
constexpr int64_t kKeysOfANewToken = 4;
// Over a cache of fixed length attention reads slots that are still empty: half
// of what copying takes is gained at least, but for a short kernel.
constexpr double kWorstShare = 0.5;
constexpr double kShortKernelNs = 5000;

// The less of keys and values.
double BytesOfACache(const opmodel::Operation& op) {
  const int64_t elements = op[Dim::kBatch] * op[Dim::kKvHeads] *
                           op[Dim::kSeqKv] *
                           std::min(op[Dim::kHeadDim], op[Dim::kHeadDimV]);
  return static_cast<double>(elements) * opmodel::BitsOf(op.storage) / 8;
}

}  // namespace

void GrownCaches::AddConcatenation(double ns, bool is_new) {
  if (copies_.size() < kMostCopies) copies_.push_back({ns, is_new});
}

// Copies of less than a cache, read and written at all of the bandwidth, join
// something else: halves of rotated queries.
GrownCaches::Sums GrownCaches::AddOperation(const opmodel::Operation& op,
                                            double bandwidth) {
  Sums sums;
  const bool reads_a_cache =
      ClassOf(op.kind) == LayerClass::kAttention && op[Dim::kSeqQ] > 0 &&
      op[Dim::kSeqKv] >= kKeysOfANewToken * op[Dim::kSeqQ];
  const double least_ns = 2 * BytesOfACache(op) / bandwidth;
  if (reads_a_cache && least_ns > 0) {
    for (const Copy& copy : copies_) {
      if (copy.ns < least_ns) continue;
      sums.count += copy.is_new ? 1 : 0;
      sums.ns += copy.ns;
      sums.worst_ns +=
          std::min(copy.ns, std::max(kShortKernelNs, kWorstShare * copy.ns));
    }
  }
  copies_.clear();
  return sums;
}

}  // namespace dltap::analyzer
