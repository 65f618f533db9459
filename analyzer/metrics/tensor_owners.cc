// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "analyzer/attribution/range_index.h"
#include "analyzer/metrics/interval.h"
#include "analyzer/metrics/memory_owners.h"

namespace dltap::analyzer {
namespace {

constexpr double kMostRounding = 512;  // bytes, of PyTorch's allocator
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Operators that only take memory, for the one around them.
bool OnlyTakes(std::string_view name) {
  return name.starts_with("aten::empty") || name.starts_with("aten::resize") ||
         name.starts_with("aten::new_empty");
}

// Where in the program a tensor was made.
struct Origin {
  bool backward = false;
  bool update = false;
  RangeId taker;  // the operator that took its memory
};

// Whether a product took it for something else than its result. Allocators
// round sizes up. False where its shapes are not known.
bool IsNoResult(const TraceModel& model, const Range& taker, int64_t bytes) {
  if (!taker.operation.known()) return false;
  const OperationNodes& nodes = model.operations[taker.operation.value()];
  if (nodes.empty() || nodes.front().kind != opmodel::OpKind::kGemm) {
    return false;
  }
  const opmodel::Operation& op = nodes.front();
  const double result = static_cast<double>(op[opmodel::Dim::kBatch]) *
                        static_cast<double>(op[opmodel::Dim::kM]) *
                        static_cast<double>(op[opmodel::Dim::kN]) *
                        opmodel::BitsOf(op.storage) / 8;
  const auto most = static_cast<double>(bytes);
  return result > 0 && (most < result || most - result >= kMostRounding);
}

class TensorJudge {
 public:
  TensorJudge(const TraceModel& model, const Process& process,
              const Steps& steps)
      : model_(model), process_(process), steps_(steps), ranges_(process) {
    for (const Range& range : process.ranges) {
      if (range.backward) backward_.push_back({range.begin_ns, range.end_ns});
    }
    std::sort(backward_.begin(), backward_.end());
  }

  std::vector<OwnedRange> Run(const std::vector<MemoryBlock>& tensors) {
    std::vector<OwnedRange> out;
    for (const MemoryBlock& tensor : tensors) {
      out.push_back({tensor.address, tensor.bytes, tensor.begin_ns,
                     tensor.end_ns, OwnerOf(tensor), tensor.device});
    }
    FindWeights(out);
    return out;
  }

 private:
  Origin OriginOf(const MemoryBlock& tensor) const {
    Origin origin;
    RangeId range = ranges_.InnermostAt(tensor.thread, tensor.begin_ns);
    for (; range.known(); range = ranges_.ParentOf(range)) {
      const Range& around = process_.ranges[range.value()];
      const std::string_view name = model_.texts[around.name];
      origin.backward |= around.backward;
      origin.update |= name.starts_with("Optimizer.step");
      const bool took = !origin.taker.known() &&
                        around.kind == RangeKind::kFrameworkOp &&
                        !OnlyTakes(name);
      if (took) origin.taker = range;
    }
    return origin;
  }

  // The step that a time lies in; empty if none.
  Interval StepAround(int64_t at_ns) const {
    const auto after = std::upper_bound(
        steps_.steps.begin(), steps_.steps.end(), at_ns,
        [](int64_t ns, const Step& step) { return ns < step.begin_ns; });
    if (after == steps_.steps.begin()) return {at_ns, at_ns};
    const Step& step = *(after - 1);
    if (at_ns >= step.end_ns) return {at_ns, at_ns};
    return {step.begin_ns, step.end_ns};
  }

  // The parts of the backward pass in [begin, end), as [first begin, last
  // end); at kNever where there is none.
  Interval BackwardIn(Interval span) const {
    const auto first = std::lower_bound(backward_.begin(), backward_.end(),
                                        Interval{span.begin_ns, span.begin_ns});
    auto last = std::lower_bound(backward_.begin(), backward_.end(),
                                 Interval{span.end_ns, span.end_ns});
    if (first >= last) return {kNever, kNever};
    --last;
    return {first->begin_ns, last->end_ns};
  }

  MemoryOwner OwnerOf(const MemoryBlock& tensor) const {
    const Origin origin = OriginOf(tensor);
    if (origin.taker.known()) {
      const Range& taker = process_.ranges[origin.taker.value()];
      const bool is_workspace = tensor.end_ns <= taker.end_ns ||
                                IsNoResult(model_, taker, tensor.bytes);
      if (is_workspace) return MemoryOwner::kWorkspace;
    }
    if (origin.update) return MemoryOwner::kDynamic;
    const Interval step = StepAround(tensor.begin_ns);
    if (step.length_ns() == 0) return MemoryOwner::kUnknown;
    if (origin.backward) {
      const bool outlives = tensor.end_ns > BackwardIn(step).end_ns;
      return outlives ? MemoryOwner::kGradients : MemoryOwner::kDynamic;
    }
    const Interval rest = BackwardIn({tensor.begin_ns, step.end_ns});
    if (rest.begin_ns == kNever || tensor.end_ns <= rest.begin_ns) {
      return tensor.end_ns <= step.end_ns ? MemoryOwner::kDynamic
                                          : MemoryOwner::kUnknown;
    }
    // A variable may hold it until the next step makes its own.
    const Interval next = StepAround(step.end_ns);
    const int64_t last_ns =
        next.length_ns() == 0 ? kStillHeld : BackwardIn(next).begin_ns;
    return tensor.end_ns <= last_ns ? MemoryOwner::kFeatureMaps
                                    : MemoryOwner::kUnknown;
  }

  // What was there before the first backward pass and stays is a weight if a
  // gradient has its size; no more of them than gradients.
  void FindWeights(std::vector<OwnedRange>& tensors) const {
    if (steps_.steps.empty() || backward_.empty()) return;
    const int64_t first_ns = backward_.front().begin_ns;
    // When the last step has made all its gradients.
    const int64_t last_ns =
        BackwardIn({first_ns, steps_.steps.back().end_ns}).end_ns;
    std::map<std::pair<DeviceId, int64_t>, int64_t> gradients;
    for (const OwnedRange& tensor : tensors) {
      const bool is_last = tensor.owner == MemoryOwner::kGradients &&
                           tensor.begin_ns <= last_ns &&
                           tensor.end_ns > last_ns;
      if (is_last) ++gradients[{tensor.device, tensor.bytes}];
    }
    for (OwnedRange& tensor : tensors) {
      const bool stays = tensor.owner == MemoryOwner::kUnknown &&
                         tensor.begin_ns < first_ns &&
                         tensor.end_ns == kStillHeld;
      if (!stays) continue;
      const auto found = gradients.find({tensor.device, tensor.bytes});
      if (found == gradients.end() || found->second == 0) continue;
      --found->second;
      tensor.owner = MemoryOwner::kWeights;
    }
  }

  const TraceModel& model_;
  const Process& process_;
  const Steps& steps_;
  const RangeIndex ranges_;
  std::vector<Interval> backward_;  // by begin
};

}  // namespace

std::vector<OwnedRange> TensorOwners(const TraceModel& model,
                                     const Process& process, const Steps& steps,
                                     const std::vector<MemoryBlock>& tensors) {
  return TensorJudge(model, process, steps).Run(tensors);
}

}  // namespace dltap::analyzer
