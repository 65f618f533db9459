// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/narrow_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/launch_shape.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

enum class Part : uint8_t {
  kOther,
  kGather,
  kScatter,
  kGradientOfRows,
  kBag,
  kRows,  // reads wide ones
};

Part PartOfName(std::string_view name) {
  const auto has = [name](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  };
  if (has("_cuda_scatter_gather_internal_kernel<")) {
    return has("_internal_kernel<false") ? Part::kGather : Part::kScatter;
  }
  // The last kernel of each gradient.
  if (has("embedding_backward_feature_kernel") || has("sum_and_scatter")) {
    return Part::kGradientOfRows;
  }
  if (has("EmbeddingBag_updateOutputKernel")) return Part::kBag;
  if (has("vectorized_gather_kernel") || has("indexSelect")) return Part::kRows;
  return Part::kOther;
}

class RowsPass {
 public:
  RowsPass(const TraceModel& model, const Process& process,
           ProcessAttribution& attribution)
      : model_(model), process_(process), attribution_(attribution) {}

  void Run(const std::vector<Submission>& order,
           const std::vector<bool>& is_backward) {
    const auto gathers = [this](const Activity& activity) {
      return PartOf(activity) == Part::kGather;
    };
    if (std::ranges::none_of(process_.activities, gathers)) return;
    for (size_t i = 0; i < order.size(); ++i) {
      Take(order[i].activity, is_backward[i]);
    }
    SettlePass();
    for (const size_t gather : gathers_) {
      if (const auto it = votes_.find(PlaceOf(gather));
          it != votes_.end() && it->second == Vote{true, false}) {
        attribution_.activities[gather].layer_class = LayerClass::kEmbedding;
      }
    }
  }

 private:
  using Place = std::pair<TextId, std::array<uint32_t, 3>>;  // name, grid

  struct Vote {
    bool rows = false;
    bool gather = false;
    bool operator==(const Vote&) const = default;
  };

  struct Read {
    size_t activity;
    bool of_rows;  // wide ones, known by their name
  };

  Part PartOf(const Activity& activity) {
    if (activity.kind != ActivityKind::kKernel || !activity.name.known()) {
      return Part::kOther;
    }
    const auto [it, is_new] = parts_.try_emplace(activity.name.value());
    if (is_new) it->second = PartOfName(Demangle(model_.texts[activity.name]));
    return it->second;
  }

  Place PlaceOf(size_t i) const {
    const Activity& activity = process_.activities[i];
    return {activity.name, ShapeOf(process_, activity).grid};
  }

  void Take(size_t i, bool is_backward) {
    const Attributed& at = attribution_.activities[i];
    const Part part = PartOf(process_.activities[i]);
    if (is_backward) {
      TakeGradient(part);
      return;
    }
    const bool may_be = part == Part::kGather &&
                        at.layer_class == LayerClass::kElementwise &&
                        at.class_from == ClassFrom::kKernelName;
    const bool of_rows = at.layer_class == LayerClass::kEmbedding &&
                         process_.activities[i].kind == ActivityKind::kKernel;
    if (!may_be && !of_rows) return;
    if (!gradients_.empty()) SettlePass();
    reads_.push_back({i, of_rows});
    bags_ += part == Part::kBag ? 1 : 0;
    if (may_be) gathers_.push_back(i);
  }

  // A bag's sparse gradient has rows of the gradient of its sums, one for each
  // index.
  void TakeGradient(Part part) {
    if (part == Part::kRows && bags_ > 0) {
      --bags_;
      part = Part::kGradientOfRows;
    }
    if (part == Part::kScatter || part == Part::kGradientOfRows) {
      gradients_.push_back(part);
    }
  }

  void SettlePass() {
    const auto agrees = [](const Read& read, Part gradient) {
      return !read.of_rows || gradient == Part::kGradientOfRows;
    };
    if (std::ranges::equal(reads_.rbegin(), reads_.rend(), gradients_.begin(),
                           gradients_.end(), agrees)) {
      for (size_t i = 0; i < reads_.size(); ++i) {
        const Read& read = reads_[reads_.size() - 1 - i];
        if (read.of_rows) continue;
        Vote& vote = votes_[PlaceOf(read.activity)];
        (gradients_[i] == Part::kScatter ? vote.gather : vote.rows) = true;
      }
    }
    reads_.clear();
    gradients_.clear();
    bags_ = 0;
  }

  const TraceModel& model_;
  const Process& process_;
  ProcessAttribution& attribution_;
  absl::flat_hash_map<size_t, Part> parts_;  // by name
  std::vector<size_t> gathers_;
  std::vector<Read> reads_;  // of the pass looked at
  std::vector<Part> gradients_;
  size_t bags_ = 0;  // of the reads, without gradient so far
  absl::flat_hash_map<Place, Vote> votes_;
};

}  // namespace

void SettleNarrowRows(const TraceModel& model, const Process& process,
                      const std::vector<Submission>& order,
                      const std::vector<bool>& is_backward,
                      ProcessAttribution& attribution) {
  RowsPass(model, process, attribution).Run(order, is_backward);
}

}  // namespace dltap::analyzer
