// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/norm_regroup.h"

#include <algorithm>
#include <optional>

namespace dltap::analyzer {
namespace {

constexpr size_t kReach = 8;  // units from a root, or its gradient, to an end
// The same where a mean is subtracted.
constexpr size_t kMeanReach = 12;
constexpr size_t kMeanGradientReach = 20;

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
      if (i < free_from) continue;
      std::optional<Span> span;
      if (Has(i, kMean | kVariance) && !IsBackward(units_[i].direction)) {
        span = FromMean(i);
      } else if (Has(i, kRoot) && !IsBackward(units_[i].direction)) {
        span = AroundRoot(i, free_from);
      } else if (Has(i, kPower) && IsBackward(units_[i].direction)) {
        span = AroundGradient(i, free_from);
      } else if (IsRootsGradient(i) && IsBackward(units_[i].direction)) {
        span = AroundMeansGradient(i - 1, i, free_from);
      }
      if (!span) continue;
      Regroup(*span);
      free_from = span->last + 1;
    }
  }

 private:
  // Each knows the first, so that norms in a row are told apart.
  void Regroup(const Span& span) {
    const ActivityId first(units_[span.first].activities.front());
    for (size_t u = span.first; u <= span.last; ++u) {
      MoveUnit(process_, units_[u], LayerClass::kNorm, attribution_);
      for (const size_t i : units_[u].activities) {
        Attributed& at = attribution_.activities[i];
        if (at.layer_class == LayerClass::kNorm) at.glue_of = first;
      }
    }
  }

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

  // A mean, maybe the values less that, and a variance: by one kernel, with
  // the mean or without, or as a mean of squares. Then the values are divided
  // by the deviation; the weight may come before.
  std::optional<Span> FromMean(size_t first) const {
    if (units_[first].direction == Direction::kUpdate) return std::nullopt;
    bool variance = Has(first, kVariance);
    bool deviation = variance;  // may be divided by
    bool inverse = false;
    bool subtracts = false;
    bool weighs = false;
    const size_t end = std::min(units_.size(), first + kMeanReach);
    for (size_t i = first + 1; i < end; ++i) {
      if (Has(i, kVariance)) {
        variance = deviation = true;
      } else if (Has(i, kMean)) {
        if (variance || !Has(i - 1, kPower | kTimes)) return std::nullopt;
        variance = true;
      } else if (Has(i, kRoot | kSquareRoot)) {
        if (!variance || inverse) return std::nullopt;
        deviation = true;
        inverse = Has(i, kRoot);
      } else if (Has(i, kDivide) || (inverse && Has(i, kTimes))) {
        const bool divides =
            deviation && Has(i, kStrided) && inverse != Has(i, kDivide);
        if (!divides || !subtracts) return std::nullopt;
        return Span{first, WithWeight(i, weighs)};
      } else if (Has(i, kAdd)) {
        subtracts = true;
      } else if (Has(i, kTimes)) {
        weighs = true;  // or squares
      } else if (!Has(i, kPower | kAddNumber) && !IsCast(i)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  // The last of a norm that ends with `last`, but for its weight and bias.
  size_t WithWeight(size_t last, bool weighs) const {
    for (size_t i = last + 1; i < units_.size(); ++i) {
      if (IsCast(i)) continue;
      const bool is_weight = Has(i, kTimes) && !weighs;
      if (!Has(i, kStrided) || (!is_weight && !Has(i, kAdd))) break;
      weighs = true;
      last = i;
      if (Has(i, kAdd)) break;
    }
    return last;
  }

  // g / (2 root), of what is summed up over a row.
  bool IsRootsGradient(size_t i) const {
    return i >= 2 && Has(i, kDivide) && Has(i - 1, kScale) && IsSum(i - 2);
  }

  // The gradient of the mean is a sum, which is divided by the row's length
  // and added to the rest.
  std::optional<size_t> EndOfMeansGradient(size_t root) const {
    bool summed = false;
    const size_t end = std::min(units_.size(), root + kMeanGradientReach);
    for (size_t i = root + 1; i < end; ++i) {
      if (!IsBackward(units_[i].direction) && !IsCast(i)) break;
      if (summed && Has(i, kAdd) && Has(i - 1, kScale)) {
        while (i + 1 < units_.size() && Has(i + 1, kAdd)) ++i;
        return i;
      }
      if (Has(i, kPower)) break;  // the next norm's
      if (!IsSum(i) && !IsElementwise(i) && !IsCast(i)) break;
      summed = summed || IsSum(i);
    }
    return std::nullopt;
  }

  // `first`..`root` are right behind the sum of a row.
  std::optional<Span> AroundMeansGradient(size_t first, size_t root,
                                          size_t free_from) const {
    const auto last = EndOfMeansGradient(root);
    if (!last || first <= free_from) return std::nullopt;
    Span span{first - 1, *last};
    for (size_t i = span.first; i > free_from && first - i < kMeanReach;) {
      if (!IsSum(--i) && !IsElementwise(i) && !IsCast(i)) break;
      if (Has(i, kAdd)) break;
      if (!IsCast(i)) span.first = i;
    }
    return span;
  }

  std::optional<Span> AroundGradient(size_t power, size_t free_from) const {
    if (power > 0 && IsSum(power - 1)) {
      const auto span = AroundMeansGradient(power, power, free_from);
      if (span) return span;
    }
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
