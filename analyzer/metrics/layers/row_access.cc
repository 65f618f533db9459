// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/row_access.h"

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/layers/layer_unit.h"

namespace dltap::analyzer {
namespace {

// Between the zeros and the sum: an index of several dimensions takes as many
// as four kernels for each.
constexpr size_t kMostBetween = 48;

// Zeros by a kernel: a memset before a sort clears what that counts in.
bool IsFilled(const TraceModel& model, const Activity& activity) {
  return activity.kind == ActivityKind::kKernel &&
         model.texts[activity.name].find("FillFunctor") !=
             std::string_view::npos;
}

bool MayPrepare(const Attributed& at) {
  return !at.work.known() && at.direction != Direction::kForward &&
         (at.layer_class == LayerClass::kAttention ||
          IsElementwiseLike(at.layer_class));
}

}  // namespace

RowAccess RowAccessOf(std::string_view kernel) {
  const auto has = [kernel](std::string_view part) {
    return kernel.find(part) != std::string_view::npos;
  };
  if (has("vectorized_gather_kernel") || has("indexSelectLargeIndex") ||
      has("indexSelectSmallIndex")) {
    return RowAccess::kRead;
  }
  if (has("indexFuncLargeIndex") || has("indexFuncSmallIndex") ||
      has("EmbeddingBag_updateOutputKernel") ||
      (has("_scatter_gather_elementwise_kernel") && has("ReduceAdd"))) {
    return RowAccess::kAdd;
  }
  if (has("gpu_index_kernel") && !has("index_put")) {
    return RowAccess::kReadElements;
  }
  return has("indexing_backward_kernel") ? RowAccess::kSum : RowAccess::kNone;
}

std::vector<size_t> FindRowSums(const TraceModel& model, const Process& process,
                                const ProcessAttribution& attribution,
                                const std::vector<Submission>& order) {
  std::vector<size_t> sum_of(process.activities.size(), kNoRowSum);
  absl::flat_hash_map<TextId, bool> sums;  // by kernel's name
  const auto is_filled = [&](size_t at) {
    return IsFilled(model, process.activities[order[at].activity]);
  };
  for (size_t at = 0; at < order.size(); ++at) {
    const size_t i = order[at].activity;
    const Activity& activity = process.activities[i];
    if (activity.kind != ActivityKind::kKernel) continue;
    const auto [it, is_new] = sums.try_emplace(activity.name);
    if (is_new) {
      it->second = RowAccessOf(model.texts[it->first]) == RowAccess::kSum;
    }
    if (!it->second) continue;
    size_t first = at;
    while (first > 0 && at - first < kMostBetween &&
           MayPrepare(attribution.activities[order[first - 1].activity])) {
      --first;
      if (is_filled(first)) break;
    }
    if (!is_filled(first)) first = at;
    for (; first <= at; ++first) sum_of[order[first].activity] = i;
  }
  return sum_of;
}

}  // namespace dltap::analyzer
