// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/attention_regroup.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {
namespace {

// Units from a softmax to the next product, and from that to the next. Where
// sizes tell whose products they are, gradients of positions' tables may lie
// between.
constexpr size_t kReach = 16;
constexpr size_t kSizedReach = 64;
constexpr size_t kMostTerms = 4;   // of the scores, each by a product
constexpr size_t kScaleReach = 9;  // units between a product and a scaling

// Batch x rows x columns, and the lengths of the rows and columns.
struct Scores {
  int64_t elements;
  int64_t m;
  int64_t n;
};

std::optional<Scores> ResultOf(const Product& product) {
  if (product.m == 0 || product.batch == 0) return std::nullopt;
  return Scores{product.batch * product.m * product.n, product.m, product.n};
}

// Whether `product` may take the scores as an operand. How they are batched
// may differ (grouped queries); what is not known contradicts nothing.
bool Takes(const Product& product, const std::optional<Scores>& scores) {
  if (!scores || product.m == 0 || product.batch == 0) return true;
  if (product.k != scores->m && product.k != scores->n) return false;
  const int64_t rows = product.batch * product.k;
  return rows * product.m == scores->elements ||
         rows * product.n == scores->elements;
}

bool Gives(const Product& product, const std::optional<Scores>& scores) {
  const std::optional<Scores> result = ResultOf(product);
  return !scores || !result || result->elements == scores->elements;
}

// Scores may be a sum: relative positions add a product of the same rows with
// a table, as wide as that is, before their columns are put in place. How the
// rows are batched may differ. `scores` is the product by content; its inner
// dimension is the heads' size.
bool HasRowsOf(const Product& scores, int64_t rows) {
  return rows == scores.batch * scores.m || rows == scores.batch * scores.n;
}

bool IsTerm(const Product& product, const Product& scores) {
  if (product.m == 0 || product.batch == 0 || scores.m == 0) return false;
  return product.k == scores.k &&
         (HasRowsOf(scores, product.batch * product.m) ||
          HasRowsOf(scores, product.batch * product.n));
}

// The gradients of a term: rows x heads' size, and heads' size x its width.
bool IsGradientOfTerm(const Product& product, const Product& scores) {
  if (product.m == 0 || product.batch == 0 || scores.m == 0) return false;
  const auto is = [&](int64_t one, int64_t other) {
    return one == scores.k && (HasRowsOf(scores, product.batch * other) ||
                               HasRowsOf(scores, product.batch * product.k));
  };
  return is(product.m, product.n) || is(product.n, product.m);
}

// Whether the scores are what the softmax works on: its rows are theirs.
bool IsOver(const Unit& softmax, const std::optional<Scores>& scores) {
  if (!softmax.softmax || !scores) return true;
  const auto fits = [&](int64_t columns) {
    return columns > 0 &&
           MayBeOver(*softmax.softmax, scores->elements / columns, columns);
  };
  return fits(scores->m) || fits(scores->n);
}

bool MayBeSoftmax(const Unit& unit) {
  if (unit.softmax && unit.softmax->is_log) return false;
  return unit.layer_class == LayerClass::kSoftmax ||
         (unit.layer_class == LayerClass::kReduction &&
          (unit.traits & kRows) != 0);
}

bool IsSized(const Unit& softmax) {
  return softmax.softmax && softmax.softmax->known();
}

struct Span {
  size_t first;
  size_t last;
};

class AttentionPass {
 public:
  AttentionPass(const Process& process, const std::vector<Unit>& units,
                ProcessAttribution& attribution)
      : process_(process), units_(units), attribution_(attribution) {}

  void Run() {
    size_t free_from = 0;  // units before it belong to an attention already
    for (size_t i = 0; i < units_.size(); ++i) {
      if (!MayBeSoftmax(units_[i])) continue;
      const auto span = IsGradient(i) ? AroundBackward(i, free_from)
                                      : AroundForward(i, free_from);
      if (!span) continue;
      Regroup(WithScales(*span, free_from));
      free_from = span->last + 1;
    }
  }

 private:
  bool MayPass(size_t i) const {
    const Unit& unit = units_[i];
    return unit.product || IsPointwise(unit) ||
           unit.layer_class == LayerClass::kEmbedding ||
           IsCopyOrMemset(unit.layer_class);
  }

  // Names of fused kernels do not tell which pass they are of: the products
  // before them do.
  bool IsGradient(size_t softmax) const {
    if (units_[softmax].direction != Direction::kNone) {
      return units_[softmax].direction == Direction::kBackward;
    }
    const std::vector<size_t> before = Before(softmax, 0);
    return !before.empty() && IsBackward(units_[before.front()].direction);
  }

  size_t ReachOf(size_t softmax) const {
    return IsSized(units_[softmax]) ? kSizedReach : kReach;
  }

  // Of what Before and After found.
  Product ProductAt(size_t i) const {
    return units_[i].product.value_or(Product());
  }

  // The batched products on one side of a softmax, nearest first.
  std::vector<size_t> Before(size_t softmax, size_t free_from) const {
    std::vector<size_t> products;
    size_t from = softmax;
    for (size_t i = softmax; i > free_from && from - i < ReachOf(softmax);) {
      if (!MayPass(--i) || products.size() > kMostTerms) break;
      if (!IsBatched(units_[i])) continue;
      products.push_back(i);
      from = i;
    }
    return products;
  }
  std::vector<size_t> After(size_t softmax) const {
    std::vector<size_t> products;
    size_t from = softmax;
    for (size_t i = softmax + 1; i < units_.size() && MayPass(i); ++i) {
      if (i - from > ReachOf(softmax)) break;
      if (products.size() > 2 * kMostTerms) break;
      if (!IsBatched(units_[i])) continue;
      products.push_back(i);
      from = i;
    }
    return products;
  }

  std::optional<Span> AroundForward(size_t softmax, size_t free_from) {
    const std::vector<size_t> before = Before(softmax, free_from);
    const std::vector<size_t> after = After(softmax);
    for (const size_t first : before) {
      const Product product = ProductAt(first);
      const auto scores = ResultOf(product);
      if (!IsOver(units_[softmax], scores)) continue;
      for (const size_t last : after) {
        // Two products alike in all dimensions are the same attention's, too,
        // unless the softmax tells what it is of.
        const Product other = ProductAt(last);
        const bool alike = !IsSized(units_[softmax]) &&
                           other.batch == product.batch &&
                           other.m == product.m && other.n == product.n &&
                           other.k == product.k;
        if (alike || Takes(other, scores)) {
          return Span{FirstTerm(before, first), last};
        }
      }
    }
    return std::nullopt;
  }

  // Of the products `before` a softmax, `content` has its size. Where the
  // scores are a sum, the other terms' may come earlier.
  size_t FirstTerm(const std::vector<size_t>& before, size_t content) {
    const Product scores = ProductAt(content);
    size_t first = content;
    size_t terms = 0;
    for (const size_t i : before) {
      const bool is_term = i == content || IsTerm(ProductAt(i), scores);
      if (i < content && !is_term) break;
      if (is_term) ++terms;
      first = std::min(first, i);
    }
    if (const auto sum = ResultOf(scores)) terms_[sum->elements] = terms;
    return first;
  }

  // Backward: two products for each that the last forward pass over as many
  // scores had.
  size_t ProductsAfter(const std::optional<Scores>& scores) const {
    const auto found = scores ? terms_.find(scores->elements) : terms_.end();
    return found == terms_.end() ? 2 : 2 * found->second;
  }

  // dP = dO V', dV = P' dO; softmax; dQ = dS K, dK = dS' Q; in any order. As
  // dV looks like scores to dQ, what fits most of the four is dP.
  std::optional<Span> AroundBackward(size_t softmax, size_t free_from) const {
    std::vector<size_t> before = Before(softmax, free_from);
    const std::vector<size_t> after = After(softmax);
    before.resize(std::min<size_t>(before.size(), 2));
    std::optional<Span> best;
    size_t most = 0;
    for (const size_t gradient : before) {
      const auto scores = ResultOf(ProductAt(gradient));
      if (!IsOver(units_[softmax], scores)) continue;
      Span span{softmax, softmax};
      size_t parts = 0;
      for (const size_t i : before) {
        const Product product = ProductAt(i);
        if (!Takes(product, scores) && !Gives(product, scores)) continue;
        span.first = i;
        ++parts;
      }
      const Product content = ProductAt(gradient);
      const size_t most_after = ProductsAfter(scores);
      for (size_t p = 0; p < std::min(after.size(), most_after); ++p) {
        const Product product = ProductAt(after[p]);
        const bool is_content = Takes(product, scores);
        if (!is_content && !IsGradientOfTerm(product, content)) continue;
        span.last = after[p];
        if (is_content) ++parts;
      }
      if (span.last == softmax || parts <= most) continue;
      best = span;
      most = parts;
    }
    return best;
  }

  // Takes in what scales an operand or makes a mask before, or scales a
  // gradient after.
  Span WithScales(Span span, size_t free_from) const {
    const auto may_pass = [&](size_t i) {
      return units_[i].layer_class == LayerClass::kLayout || IsScale(i) ||
             (units_[i].traits & (kPlain | kMask)) != 0;
    };
    const Span found = span;
    for (size_t i = found.first;
         i > free_from && span.first - i < kScaleReach && may_pass(i - 1);) {
      if (IsScale(--i) || (units_[i].traits & kMask) != 0) span.first = i;
    }
    const size_t end = std::min(units_.size(), found.last + 1 + kScaleReach);
    const bool backward = units_[found.last].direction == Direction::kBackward;
    for (size_t i = found.last + 1; backward && i < end && may_pass(i); ++i) {
      if (IsScale(i)) span.last = i;
    }
    return span;
  }

  bool IsScale(size_t i) const {
    return units_[i].layer_class == LayerClass::kElementwise &&
           (units_[i].traits & kScale) != 0;
  }

  void Regroup(const Span& span) {
    for (size_t i = span.first; i <= span.last; ++i) {
      const Unit& unit = units_[i];
      if (unit.product && !IsBatched(unit)) continue;
      // Also what sorts for one: that has been moved.
      const Attributed& at = attribution_.activities[unit.activities.front()];
      if (at.layer_class == LayerClass::kEmbedding) continue;
      MoveUnit(process_, unit, LayerClass::kAttention, attribution_);
    }
  }

  const Process& process_;
  const std::vector<Unit>& units_;
  ProcessAttribution& attribution_;
  // How many products scores are the sum of, by how many scores there are.
  absl::flat_hash_map<int64_t, size_t> terms_;
};

}  // namespace

void RegroupAttention(const Process& process, const std::vector<Unit>& units,
                      ProcessAttribution& attribution) {
  AttentionPass(process, units, attribution).Run();
}

}  // namespace dltap::analyzer
