// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "analyzer/attribution/base/range_index.h"
#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/memory/memory_owners.h"

namespace dltap::analyzer {
namespace {

// PyTorch's allocator rounds up to 512 bytes. Of blocks above 1 MiB it leaves
// up to 1 MiB with the tensor.
constexpr int64_t kRounding = 512;
constexpr int64_t kLargeBytes = 1 << 20;

// Less than this much of a block holds nothing.
int64_t MostRounding(int64_t block_bytes) {
  return block_bytes > kLargeBytes ? kLargeBytes + kRounding : kRounding;
}

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
  const auto rounding = static_cast<double>(MostRounding(bytes));
  return result > 0 && (most < result || most - result >= rounding);
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
    // A variable may hold it until the next step, if any, makes its own.
    const Interval next = StepAround(step.end_ns);
    const int64_t last_ns =
        next.length_ns() == 0 ? step.end_ns : BackwardIn(next).begin_ns;
    return tensor.end_ns <= last_ns ? MemoryOwner::kFeatureMaps
                                    : MemoryOwner::kUnknown;
  }

  // What was there before the first backward pass and still is after the last
  // one is a weight if a gradient has its size; no more of them than gradients
  // of one step.
  void FindWeights(std::vector<OwnedRange>& tensors) const {
    if (steps_.steps.empty() || backward_.empty()) return;
    const int64_t first_ns = backward_.front().begin_ns;
    const int64_t last_ns = LastBackwardNs();
    Sizes gradients = MostGradients(tensors);
    std::vector<OwnedRange*> others;
    for (OwnedRange& tensor : tensors) {
      const bool stays = tensor.owner == MemoryOwner::kUnknown &&
                         tensor.begin_ns < first_ns && tensor.end_ns > last_ns;
      if (!stays) continue;
      const auto found = gradients.find({tensor.device, tensor.bytes});
      if (found == gradients.end() || found->second == 0) {
        others.push_back(&tensor);
        continue;
      }
      --found->second;
      tensor.owner = MemoryOwner::kWeights;
    }
    for (OwnedRange* tensor : others) FindNearly(*tensor, gradients);
  }

  using Sizes = std::map<std::pair<DeviceId, int64_t>, int64_t>;  // counts

  // The blocks of a weight and of its gradient may be rounded differently.
  static void FindNearly(OwnedRange& tensor, Sizes& gradients) {
    const int64_t apart = MostRounding(tensor.bytes);
    auto near = gradients.upper_bound({tensor.device, tensor.bytes - apart});
    const auto end =
        gradients.lower_bound({tensor.device, tensor.bytes + apart});
    for (; near != end; ++near) {
      const bool fits = MostRounding(near->first.second) == apart;
      if (near->second == 0 || !fits) continue;
      --near->second;
      tensor.owner = MemoryOwner::kWeights;
      return;
    }
  }

  int64_t LastBackwardNs() const {
    int64_t last_ns = 0;
    for (const Interval& range : backward_) {
      last_ns = std::max(last_ns, range.end_ns);
    }
    return last_ns;
  }

  // How many gradients of a size one step made, at most.
  Sizes MostGradients(const std::vector<OwnedRange>& tensors) const {
    Sizes most;
    Sizes now;
    Interval step{kNever, kNever};
    const auto close = [&] {
      for (const auto& [size, count] : now) {
        most[size] = std::max(most[size], count);
      }
      now.clear();
    };
    for (const OwnedRange& tensor : tensors) {
      if (tensor.owner != MemoryOwner::kGradients) continue;
      const Interval around = StepAround(tensor.begin_ns);
      if (around.begin_ns != step.begin_ns) close();
      step = around;
      ++now[{tensor.device, tensor.bytes}];
    }
    close();
    return most;
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
