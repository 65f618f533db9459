// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/unused_gradients.h"

#include <algorithm>
#include <vector>

namespace dltap::analyzer {
namespace {

// Of each element that it updates, an update reads the weight and the gradient
// and writes the weight; Adam reads and writes two moments, too.
constexpr double kLeastAccesses = 3;
constexpr double kAdamAccesses = 7;
// What fits the cache may be moved faster than the memory moves it.
constexpr double kOutsideCache = 1.25;
constexpr double kInCache = 3;
// Less may be a product whose operands are no weights.
constexpr double kLeastUnused = 0.3;

}  // namespace

void UnusedGradients::AddForward(uint64_t weights, double elements) {
  if (in_backward_) ++passes_;
  in_backward_ = false;
  if (weights == 0) return;
  weights_.insert(weights);
  of_size_[elements].weights.insert(weights);
}

void UnusedGradients::AddWeightGradient(const Product& product) {
  in_backward_ = true;
  const auto found = of_size_.find(product.elements);
  if (found == of_size_.end()) return;
  OfSize& size = found->second;
  ++size.gradients;
  size.new_gradients += product.is_new ? 1 : 0;
  size.bytes = product.bytes;
  size.ns += product.ns;
}

void UnusedGradients::AddUpdate(double ns, bool is_adam) {
  update_ns_ += ns;
  is_adam_ |= is_adam;
}

// Weights that a loop multiplies with have many gradients, which are added up.
double UnusedGradients::OfSize::used() const {
  return static_cast<double>(std::min<uint64_t>(weights.size(), gradients));
}

// Bytes of the gradients that the update can have read, at most.
double UnusedGradients::Updated(double gradient_bytes) const {
  const double weights_too = 2 * gradient_bytes;
  const double faster =
      weights_too > 2 * memory_.cache_bytes ? kOutsideCache : kInCache;
  return faster * update_ns_ * memory_.bytes_per_ns /
         (is_adam_ ? kAdamAccesses : kLeastAccesses);
}

// The update may have read those of which a byte took longest to make.
double UnusedGradients::LeastNs() const {
  struct Gradient {
    double bytes;
    double ns;
  };
  std::vector<Gradient> gradients;
  double all_bytes = 0;
  double all_ns = 0;
  for (const auto& [elements, size] : of_size_) {
    if (size.gradients == 0) continue;
    gradients.push_back({size.used() * elements * size.bytes, size.ns});
    all_bytes += gradients.back().bytes;
    all_ns += size.ns;
  }
  double left = Updated(all_bytes);
  if (left > (1 - kLeastUnused) * all_bytes) return 0;
  std::sort(gradients.begin(), gradients.end(),
            [](const Gradient& a, const Gradient& b) {
              return a.ns * b.bytes > b.ns * a.bytes;
            });
  for (const Gradient& gradient : gradients) {
    const double part = std::min(1.0, left / gradient.bytes);
    left -= part * gradient.bytes;
    all_ns -= part * gradient.ns;
  }
  return std::max(0.0, all_ns);
}

// Several passes before an update add their gradients up, or are of several
// models.
UnusedGradients::Sums UnusedGradients::Take() {
  Sums sums;
  if (memory_.bytes_per_ns > 0 && update_ns_ > 0 && passes_ == 0 &&
      !has_other_use_) {
    sums.least_ns = LeastNs();
    for (const auto& [elements, size] : of_size_) {
      if (sums.least_ns <= 0) break;
      sums.count += size.new_gradients;
      sums.ns += size.ns;
    }
  }
  *this = UnusedGradients(memory_);
  return sums;
}

}  // namespace dltap::analyzer
