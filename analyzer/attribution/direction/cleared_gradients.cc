// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/cleared_gradients.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/attribution/base/glue.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastInRow = 4;  // fewer may be the states of a recurrent net
// Calls for one gradient. A sum of branches, as residual blocks have, also adds
// backward: once for four calls.
constexpr size_t kMostProducts = 3;
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
        does_(work.model.texts.size()) {}

  std::vector<Direction> Run() {
    for (size_t i = 0; i < work_.size(); ++i) {
      if (work_.is_backward[i]) {
        VisitBackward(i);
        continue;
      }
      EndPass();
      const size_t first = i;
      while (i < work_.size() && Fills(i)) ++i;
      if (i == first) continue;
      Visit(first, i);
      --i;
    }
    EndPass();
    return std::move(cleared_);
  }

 private:
  // What the name of a kernel says.
  enum class Does : uint8_t { kNotAsked, kFills, kAdds, kElse };

  // Fills in a row, of which a backward pass is still to tell.
  struct Row {
    size_t first;
    size_t end;
  };

  // A call's kernels follow each other: a convolution may take five.
  void VisitBackward(size_t i) {
    in_pass_ = true;
    adds_ += DoesWhat(i) == Does::kAdds ? 1 : 0;
    const Attributed& at = work_.At(i);
    const size_t products = ProductsOf(at.layer_class);
    if (products == 0) return;
    const bool goes_on = at.owner.known() && at.owner == last_;
    products_ += goes_on ? 0 : products;
    last_ = at.owner;
  }

  // What a gradient is added to has been cleared.
  void EndPass() {
    if (!in_pass_) return;
    if (products_ > 0) EndRows();
    in_pass_ = false;
    adds_ = products_ = 0;
  }

  void EndRows() {
    for (const Row& row : rows_) {
      const size_t n = std::min(row.end - row.first, adds_);
      if (n < kLeastInRow || kMostProducts * n < products_) continue;
      for (size_t i = row.first; i < row.first + n; ++i) {
        if (!work_.IsReplayed(i)) cleared_[i] = Direction::kUpdate;
      }
      adds_ -= n;
    }
    rows_.clear();
  }

  void Visit(size_t first, size_t end) {
    const bool before_pass = end < work_.size() && work_.is_backward[end];
    if (!before_pass) rows_.push_back({first, end});
    for (size_t i = first; i < end; ++i) {
      const bool of_loss = before_pass && i + 1 == end;
      if (work_.IsReplayed(i) || (of_loss && end == first + 1)) continue;
      if (before_pass || work_.At(i).direction == Direction::kUpdate) {
        cleared_[i] = of_loss ? Direction::kForward : Direction::kUpdate;
      }
    }
  }

  bool Fills(size_t i) {
    return !work_.is_backward[i] && DoesWhat(i) == Does::kFills;
  }

  Does DoesWhat(size_t i) {
    const Activity& activity = work_.ActivityAt(i);
    if (activity.kind != ActivityKind::kKernel || !activity.name.known()) {
      return Does::kElse;
    }
    Does& does = does_[activity.name.value()];
    if (does == Does::kNotAsked) {
      does = DoesByName(Demangle(work_.model.texts[activity.name]));
    }
    return does;
  }

  static Does DoesByName(const std::string& name) {
    const auto has = [path = KernelPath(name)](std::string_view part) {
      return path.find(part) != std::string::npos;
    };
    if (has("FillFunctor")) {
      return FillsWholeNumbers(name) ? Does::kElse : Does::kFills;
    }
    return has("Functor_add") || has("AddFunctor") ? Does::kAdds : Does::kElse;
  }

  const SubmittedWork& work_;
  std::vector<Direction> cleared_;
  std::vector<Does> does_;  // by name
  std::vector<Row> rows_;
  bool in_pass_ = false;
  size_t adds_ = 0;  // of this backward pass
  size_t products_ = 0;
  CallId last_;  // of these
};

}  // namespace

std::vector<Direction> FindClearedGradients(const SubmittedWork& work) {
  return ClearedGradients(work).Run();
}

}  // namespace dltap::analyzer
