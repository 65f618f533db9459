// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

namespace dltap::analyzer {
namespace {

bool StartsForward(const Attributed& activity) {
  switch (activity.layer_class) {
    case LayerClass::kConv:
    case LayerClass::kRnn:
    case LayerClass::kAttention:
    case LayerClass::kGemm:
    case LayerClass::kEmbedding:
    case LayerClass::kCopyH2d: return true;
    default: return false;
  }
}

bool HasNoDirection(LayerClass layer_class) {
  return layer_class == LayerClass::kComm || IsCopyOrMemset(layer_class);
}

// Activities in the order in which the host submitted them.
std::vector<size_t> SubmissionOrder(const Process& process,
                                    const ProcessAttribution& attribution) {
  const auto key = [&](size_t i) {
    const CallId call = attribution.activities[i].submitted_by;
    const int64_t begin = process.activities[i].begin_ns;
    return std::make_tuple(
        call.known() ? process.calls[call.value()].begin_ns : begin, begin);
  };
  std::vector<size_t> order(process.activities.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return key(a) < key(b); });
  return order;
}

class DirectionPass {
 public:
  DirectionPass(const Process& process, ProcessAttribution& attribution)
      : process_(process), attribution_(attribution) {
    for (const Thread& thread : process.threads) {
      is_autograd_.push_back(thread.name.starts_with("pt_autograd"));
    }
  }

  void Run() {
    if (!AnyBackward()) return;
    for (const size_t i : SubmissionOrder(process_, attribution_)) {
      Step(attribution_.activities[i]);
    }
  }

 private:
  enum class Phase { kForward, kBackward, kUpdate };

  bool OnAutogradThread(const Attributed& activity) const {
    if (!activity.submitted_by.known()) return false;
    const Call& call = process_.calls[activity.submitted_by.value()];
    return is_autograd_[call.thread.value()];
  }

  bool AnyBackward() const {
    return std::any_of(
        attribution_.activities.begin(), attribution_.activities.end(),
        [this](const Attributed& activity) {
          return IsBackward(activity.direction) || OnAutogradThread(activity);
        });
  }

  void Step(Attributed& activity) {
    const bool backward =
        OnAutogradThread(activity) || IsBackward(activity.direction);
    if (backward) {
      phase_ = Phase::kBackward;
    } else if (activity.direction == Direction::kUpdate) {
      phase_ = Phase::kUpdate;
    } else if (activity.direction == Direction::kForward ||
               (phase_ == Phase::kUpdate && StartsForward(activity))) {
      phase_ = Phase::kForward;
    } else if (phase_ == Phase::kBackward && HasThreads()) {
      // Submitted by a thread that is not autograd's: the pass is over.
      phase_ = StartsForward(activity) ? Phase::kForward : Phase::kUpdate;
    }
    if (activity.direction != Direction::kNone) return;
    if (HasNoDirection(activity.layer_class)) return;
    activity.direction = phase_ == Phase::kBackward ? Direction::kBackward
                         : phase_ == Phase::kUpdate ? Direction::kUpdate
                                                    : Direction::kForward;
  }

  // With one thread for all, only what is directed itself ends a phase.
  bool HasThreads() const {
    return std::any_of(is_autograd_.begin(), is_autograd_.end(),
                       [](bool is) { return is; });
  }

  const Process& process_;
  ProcessAttribution& attribution_;
  std::vector<bool> is_autograd_;
  Phase phase_ = Phase::kForward;
};

}  // namespace

void InferDirections(const Process& process, ProcessAttribution& attribution) {
  DirectionPass(process, attribution).Run();
}

}  // namespace dltap::analyzer
