// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/cleared_gradients.h"

#include <optional>
#include <string>
#include <utility>

#include "analyzer/attribution/base/glue.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastInRow = 4;  // fewer may be the states of a recurrent net
// A recurrent layer's call has the gradients of two weights and two biases.
constexpr size_t kOfRecurrentCall = 4;

// What a call backward counts: of a product one gives the weights' gradient,
// one the input's.
size_t ProductsOf(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kConv:
    case LayerClass::kGemm: return 1;
    case LayerClass::kRnn: return kOfRecurrentCall;
    default: return 0;
  }
}

class ClearedGradients {
 public:
  explicit ClearedGradients(const SubmittedWork& work)
      : work_(work),
        cleared_(work.size(), Direction::kNone),
        fills_(work.model.texts.size()) {}

  std::vector<Direction> Run() {
    for (size_t i = 0; i < work_.size(); ++i) {
      if (work_.is_backward[i]) {
        CountProduct(i);
        continue;
      }
      const size_t first = i;
      while (i < work_.size() && !work_.is_backward[i] && Fills(i)) ++i;
      if (i == first) continue;
      Visit(first, i);
      --i;
    }
    return std::move(cleared_);
  }

 private:
  // A call's kernels follow each other: a convolution may take five.
  void CountProduct(size_t i) {
    if (i == 0 || !work_.is_backward[i - 1]) products_ = 0;
    const Attributed& at = work_.At(i);
    const size_t products = ProductsOf(at.layer_class);
    if (products == 0) return;
    const bool goes_on = at.owner.known() && at.owner == last_;
    products_ += goes_on ? 0 : products;
    last_ = at.owner;
  }

  void Visit(size_t first, size_t end) {
    const bool before_pass = end < work_.size() && work_.is_backward[end];
    const size_t n = end - first;
    const bool of_weights =
        n >= kLeastInRow && products_ > 0 && 2 * n >= products_;
    for (size_t i = first; i < end; ++i) {
      const bool of_loss = before_pass && i + 1 == end;
      if (work_.IsReplayed(i) || (of_loss && n == 1)) continue;
      if (before_pass || of_weights ||
          work_.At(i).direction == Direction::kUpdate) {
        cleared_[i] = of_loss ? Direction::kForward : Direction::kUpdate;
      }
    }
  }

  bool Fills(size_t i) {
    const Activity& activity = work_.ActivityAt(i);
    if (activity.kind != ActivityKind::kKernel || !activity.name.known()) {
      return false;
    }
    std::optional<bool>& fills = fills_[activity.name.value()];
    if (!fills) {
      const std::string name = Demangle(work_.model.texts[activity.name]);
      fills = KernelPath(name).find("FillFunctor") != std::string::npos &&
              !FillsWholeNumbers(name);
    }
    return *fills;
  }

  const SubmittedWork& work_;
  std::vector<Direction> cleared_;
  std::vector<std::optional<bool>> fills_;  // by name
  size_t products_ = 0;                     // of the last backward pass
  CallId last_;                             // of these
};

}  // namespace

std::vector<Direction> FindClearedGradients(const SubmittedWork& work) {
  return ClearedGradients(work).Run();
}

}  // namespace dltap::analyzer
