// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/shared_experts.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastExperts = 4;
constexpr size_t kMostExperts = 4096;  // then a row begins anew
constexpr size_t kLeastProducts = 2;   // of one; of one alone: split_products
constexpr size_t kMostProducts = 4;
constexpr uint64_t kMostKernels = 16;  // of one
constexpr double kShortKernelNs = 5000;

std::array<int64_t, 3> InOrder(std::array<int64_t, 3> sizes) {
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

void Add(const SharedExperts::Sums& more, SharedExperts::Sums& sums) {
  sums.count += more.count;
  sums.ns += more.ns;
  sums.best_ns += more.best_ns;
  sums.worst_ns += more.worst_ns;
}

void Add(const SharedExperts::Times& times, SharedExperts::Sums& sums) {
  Add({.count = times.is_new ? 1U : 0U,
       .ns = times.ns,
       .best_ns = std::min(times.best_ns, times.ns),
       .worst_ns = std::min(times.worst_ns, times.ns)},
      sums);
}

}  // namespace

// The first product of the next expert reads what that of the first one did.
void SharedExperts::AddProduct(const Product& product) {
  const bool begins = !expert_.products.empty() && product.input != 0 &&
                      product.input == expert_.products.front().input;
  if (begins) {
    EndExpert();
  } else if (expert_.products.size() == kMostProducts) {
    EndRow();
  }
  expert_.products.push_back(product);
  Add(product.times, expert_.sums);
}

// A norm may write where the one of the layer before did.
void SharedExperts::AddOther(const Times& times, bool is_norm) {
  if (is_norm) EndRow();
  if (expert_.products.empty()) return;
  Add(times, expert_.sums);
}

// Of the same sizes, with other weights, as the one before.
bool SharedExperts::IsLike(const Expert& expert) const {
  return std::ranges::equal(expert.products, expert_.products,
                            [](const Product& a, const Product& b) {
                              return a.sizes == b.sizes &&
                                     (a.weights == 0 || a.weights != b.weights);
                            });
}

void SharedExperts::EndExpert() {
  const bool is_one = expert_.products.size() >= kLeastProducts &&
                      expert_.sums.count <= kMostKernels;
  const bool joins = is_one && !row_.empty() && row_.size() < kMostExperts &&
                     IsLike(row_.back());
  Expert expert = std::exchange(expert_, {});
  if (!joins) EndRow();
  if (is_one) row_.push_back(std::move(expert));
}

// What follows the last expert is not told from it: that counts as the one
// before it did.
void SharedExperts::EndRow() {
  if (!row_.empty() && expert_.products.size() > row_.back().products.size()) {
    expert_.products.resize(row_.back().products.size());
  }
  if (!row_.empty() && IsLike(row_.back())) row_.push_back(row_.back());
  if (row_.size() >= kLeastExperts) {
    for (const Expert& expert : row_) {
      Add(expert.sums, waiting_);
      for (const Product& product : expert.products) {
        sizes_.insert(InOrder(product.sizes));
      }
    }
    waiting_.worst_ns +=
        kShortKernelNs * static_cast<double>(row_.back().sums.count);
  }
  row_.clear();
  expert_ = {};
}

void SharedExperts::AddBackwardProduct(const Product& product) {
  EndRow();
  if (!sizes_.contains(InOrder(product.sizes))) return;
  Add(std::exchange(waiting_, {}), sums_);
  Add(product.times, sums_);
}

SharedExperts::Sums SharedExperts::Take() {
  EndRow();
  waiting_ = {};
  Sums sums = std::exchange(sums_, {});
  sums.worst_ns = std::min(sums.worst_ns, sums.ns);
  return sums;
}

}  // namespace dltap::analyzer
