// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite.h"

#include <map>
#include <optional>
#include <vector>

namespace dltap::analyzer {
namespace {

using opmodel::Dim;

constexpr size_t kMaxBetween = 16;  // activities between two products

bool MayLieBetween(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kSoftmax:
    case LayerClass::kElementwise:
    case LayerClass::kActivation:
    case LayerClass::kDropout:
    case LayerClass::kLayout:
    case LayerClass::kMemset:
    case LayerClass::kReduction: return true;
    default: return false;
  }
}

// One stream's activities, in order.
class StreamPass {
 public:
  StreamPass(const Process& process, ProcessAttribution& attribution,
             const std::vector<size_t>& order)
      : process_(process), attribution_(attribution), order_(order) {}

  void Run() {
    for (size_t i = 0; i < order_.size();) {
      const auto end = BatchOfProduct(i) ? EndOfAttention(i) : std::nullopt;
      if (end) Regroup(i, *end);
      i = end ? *end : i + 1;
    }
  }

 private:
  Attributed& At(size_t i) { return attribution_.activities[order_[i]]; }

  // The batch count of a batched GEMM's kernel.
  std::optional<int64_t> BatchOfProduct(size_t i) {
    const Attributed& activity = At(i);
    if (activity.layer_class != LayerClass::kGemm || !activity.work.known()) {
      return std::nullopt;
    }
    const auto& op = attribution_.works[activity.work.value()].leading;
    const int64_t batch = op[Dim::kBatch];
    return batch > 1 ? std::optional(batch) : std::nullopt;
  }

  // [i, end) is products and what lies between them around a softmax; the
  // last is a product. nullopt when there is no such group.
  std::optional<size_t> EndOfAttention(size_t i) {
    const int64_t batch = *BatchOfProduct(i);
    bool softmax = false;
    std::optional<size_t> end;
    size_t between = 0;
    int trailing = 0;  // products after the softmax
    for (size_t j = i + 1; j < order_.size() && between <= kMaxBetween; ++j) {
      if (BatchOfProduct(j) == batch) {
        between = 0;
        if (!softmax) continue;
        end = j + 1;
        // Forward has one product after its softmax, backward two.
        if (++trailing == (backward_ ? 2 : 1)) break;
        continue;
      }
      if (!MayLieBetween(At(j).layer_class)) break;
      if (At(j).layer_class == LayerClass::kSoftmax && !softmax) {
        softmax = true;
        backward_ = IsBackward(At(j).direction);
      }
      ++between;
    }
    return end;
  }

  void Regroup(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      Attributed& activity = At(i);
      const Activity& span = process_.activities[order_[i]];
      activity.layer_class = LayerClass::kAttention;
      activity.class_from = ClassFrom::kComposite;
      if (backward_) activity.direction = Direction::kBackward;
      attribution_.composite_ns += span.end_ns - span.begin_ns;
    }
  }

  const Process& process_;
  ProcessAttribution& attribution_;
  const std::vector<size_t>& order_;
  bool backward_ = false;
};

}  // namespace

void RegroupComposites(const Process& process,
                       ProcessAttribution& attribution) {
  std::map<StreamId, std::vector<size_t>> by_stream;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    by_stream[process.activities[i].stream].push_back(i);
  }
  for (const auto& [stream, order] : by_stream) {
    StreamPass(process, attribution, order).Run();
  }
}

}  // namespace dltap::analyzer
