// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/norm_regroup.h"

#include <algorithm>
#include <optional>

namespace dltap::analyzer {
namespace {

constexpr size_t kReach = 8;  // units from a root, or its gradient, to an end

struct Span {
  size_t first;
  size_t last;
};

class NormPass {
 public:
  NormPass(const Process& process, const std::vector<Unit>& units,
           ProcessAttribution& attribution)
      : process_(process), units_(units), attribution_(attribution) {}

  void Run() {
    size_t free_from = 0;  // units before it belong to a norm already
    for (size_t i = 0; i < units_.size(); ++i) {
      std::optional<Span> span;
      if (Has(i, kRoot) && !IsBackward(units_[i].direction)) {
        span = AroundRoot(i, free_from);
      } else if (Has(i, kPower) && IsBackward(units_[i].direction)) {
        span = AroundGradient(i, free_from);
      }
      if (!span) continue;
      for (size_t u = span->first; u <= span->last; ++u) {
        MoveUnit(process_, units_[u], LayerClass::kNorm, attribution_);
      }
      free_from = span->last + 1;
    }
  }

 private:
  bool Has(size_t i, uint32_t traits) const {
    return (units_[i].traits & traits) != 0;
  }
  bool IsCast(size_t i) const {
    return units_[i].layer_class == LayerClass::kLayout || Has(i, kPlain) ||
           IsCopyOrMemset(units_[i].layer_class);
  }
  bool IsElementwise(size_t i) const {
    return units_[i].layer_class == LayerClass::kElementwise;
  }
  bool IsSum(size_t i) const {
    return units_[i].layer_class == LayerClass::kReduction;
  }

  std::optional<Span> AroundRoot(size_t root, size_t free_from) const {
    if (units_[root].direction == Direction::kUpdate) return std::nullopt;
    size_t mean = root;
    if (mean > free_from && IsElementwise(mean - 1)) --mean;
    if (mean < free_from + 2 || !Has(--mean, kMean)) return std::nullopt;
    if (!Has(mean - 1, kPower | kTimes)) return std::nullopt;
    Span span{mean - 1, root};
    const size_t end = std::min(units_.size(), root + kReach);
    size_t products = 0;
    for (size_t i = root + 1; i < end && products < 2; ++i) {
      if (Has(i, kTimes)) {
        ++products;
        span.last = i;
      } else if (!IsCast(i) && (products != 1 || !IsElementwise(i))) {
        break;  // not even the weight plus one
      }
    }
    if (products == 0) return std::nullopt;
    return span;
  }

  std::optional<Span> AroundGradient(size_t power, size_t free_from) const {
    // Where x is used beside the norm, too, that gradient is added first.
    size_t sum = power;
    if (sum > free_from && Has(sum - 1, kAdd)) --sum;
    if (sum == free_from || !IsSum(--sum)) return std::nullopt;
    Span span{sum, power};
    for (size_t i = sum; i > free_from && sum - i < kReach;) {
      if (!IsSum(--i) && !Has(i, kTimes) && !IsCast(i)) break;
      if (!IsCast(i)) span.first = i;
    }
    const size_t end = std::min(units_.size(), power + 1 + kReach);
    for (size_t i = power + 1; i < end; ++i) {
      if (!Has(i, kTimes | kScale | kAdd | kPower) && !IsCast(i)) break;
      if (!IsCast(i)) span.last = i;
      if (Has(i, kAdd)) break;
    }
    return span;
  }

  const Process& process_;
  const std::vector<Unit>& units_;
  ProcessAttribution& attribution_;
};

}  // namespace

void RegroupNorms(const Process& process, const std::vector<Unit>& units,
                  ProcessAttribution& attribution) {
  NormPass(process, units, attribution).Run();
}

}  // namespace dltap::analyzer
