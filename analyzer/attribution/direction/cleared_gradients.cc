// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/cleared_gradients.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/glue.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastInRow = 4;  // fewer may be the states of a recurrent net

class ClearedGradients {
 public:
  ClearedGradients(const TraceModel& model, const Process& process,
                   const ProcessAttribution& attribution,
                   const std::vector<Submission>& order,
                   const std::vector<bool>& is_backward)
      : model_(model),
        process_(process),
        attribution_(attribution),
        order_(order),
        is_backward_(is_backward),
        cleared_(order.size(), Direction::kNone) {}

  std::vector<Direction> Run() {
    for (size_t i = 0; i < order_.size(); ++i) {
      if (is_backward_[i]) {
        CountProduct(i);
        continue;
      }
      const size_t first = i;
      while (i < order_.size() && !is_backward_[i] && Fills(i)) ++i;
      if (i == first) continue;
      Visit(first, i);
      --i;
    }
    return std::move(cleared_);
  }

 private:
  const Attributed& At(size_t i) const {
    return attribution_.activities[order_[i].activity];
  }

  void CountProduct(size_t i) {
    if (i == 0 || !is_backward_[i - 1]) products_ = 0;
    products_ += IsOfALayer(At(i).layer_class) ? 1 : 0;
  }

  void Visit(size_t first, size_t end) {
    const bool before_pass = end < order_.size() && is_backward_[end];
    const size_t n = end - first;
    const bool of_weights =
        n >= kLeastInRow && products_ > 0 && 2 * n >= products_;
    for (size_t i = first; i < end; ++i) {
      const bool of_loss = before_pass && i + 1 == end;
      if (IsReplayed(i) || (of_loss && n == 1)) continue;
      if (before_pass || of_weights || At(i).direction == Direction::kUpdate) {
        cleared_[i] = of_loss ? Direction::kForward : Direction::kUpdate;
      }
    }
  }

  bool IsReplayed(size_t i) const {
    return order_[i].captured ||
           process_.activities[order_[i].activity].graph_node != 0;
  }

  bool Fills(size_t i) {
    const Activity& activity = process_.activities[order_[i].activity];
    if (activity.kind != ActivityKind::kKernel || !activity.name.known()) {
      return false;
    }
    const auto [it, is_new] = fills_.try_emplace(activity.name.value());
    if (is_new) {
      const std::string name = Demangle(model_.texts[activity.name]);
      it->second = KernelPath(name).find("FillFunctor") != std::string::npos &&
                   !FillsWholeNumbers(name);
    }
    return it->second;
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const std::vector<Submission>& order_;
  const std::vector<bool>& is_backward_;
  std::vector<Direction> cleared_;
  absl::flat_hash_map<size_t, bool> fills_;  // by name
  size_t products_ = 0;                      // of the last backward pass
};

}  // namespace

std::vector<Direction> FindClearedGradients(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution, const std::vector<Submission>& order,
    const std::vector<bool>& is_backward) {
  return ClearedGradients(model, process, attribution, order, is_backward)
      .Run();
}

}  // namespace dltap::analyzer
