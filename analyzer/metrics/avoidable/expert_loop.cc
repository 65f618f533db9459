// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/expert_loop.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastExperts = 4;
constexpr size_t kMostExperts = 4096;  // of a layer; then a row begins anew
constexpr size_t kLeastProducts = 2;   // of one
constexpr size_t kMostProducts = 4;
constexpr double kShortKernelNs = 5000;

std::array<int64_t, 3> InOrder(std::array<int64_t, 3> sizes) {
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

void Add(const ExpertLoop::Times& times, ExpertLoop::Sums& sums) {
  sums.count += times.is_new ? 1 : 0;
  sums.ns += times.ns;
  sums.best_ns += std::min(times.best_ns, times.ns);
  sums.worst_ns += std::min(times.worst_ns, times.ns);
}

}  // namespace

void ExpertLoop::Count(const Times& times) {
  Add(times, expert_.sums);
  ++expert_.kernels;
}

void ExpertLoop::AddGather(const Times& times) {
  has_gathered_ = true;
  Count(times);
}

// Between two experts nothing becomes of their sum; between two rounds of
// messages on a graph it does.
void ExpertLoop::AddOther(const Times& times, bool makes_rows) {
  if (has_gathered_) {
    Count(times);
  } else if (makes_rows) {
    EndRow();
  }
}

// A product of rows that were not gathered is another layer's.
void ExpertLoop::AddProduct(const Product& product) {
  if (!has_gathered_ || expert_.matrices.size() == kMostProducts) {
    EndRow();
    return;
  }
  expert_.matrices.push_back({product.sizes[0], product.sizes[2]});
  expert_.weights.push_back(product.weights);
  expert_.sizes.push_back(InOrder(product.sizes));
  Count(product.times);
}

void ExpertLoop::AddSumOfRows(const Times& times) {
  if (!has_gathered_ || expert_.matrices.size() < kLeastProducts) {
    EndRow();
    return;
  }
  Count(times);
  Expert expert = std::exchange(expert_, {});
  has_gathered_ = false;
  const bool joins =
      !row_.empty() && row_.size() < kMostExperts &&
      row_.back().matrices == expert.matrices &&
      (expert.weights.front() == 0 || row_.back().weights != expert.weights);
  if (!joins) EndRow();
  row_.push_back(std::move(expert));
}

void ExpertLoop::AddBackwardProduct(const Product& product) {
  EndRow();
  if (sizes_.contains(InOrder(product.sizes))) Add(product.times, sums_);
}

// At worst a short kernel stays for each of an expert's.
void ExpertLoop::EndRow() {
  if (row_.size() >= kLeastExperts) {
    for (const Expert& expert : row_) {
      sums_.count += expert.sums.count;
      sums_.ns += expert.sums.ns;
      sums_.best_ns += expert.sums.best_ns;
      sums_.worst_ns += expert.sums.worst_ns;
      sizes_.insert(expert.sizes.begin(), expert.sizes.end());
    }
    sums_.worst_ns +=
        kShortKernelNs * static_cast<double>(row_.front().kernels);
  }
  row_.clear();
  expert_ = {};
  has_gathered_ = false;
}

ExpertLoop::Sums ExpertLoop::Take() {
  EndRow();
  Sums sums = std::exchange(sums_, {});
  sums.worst_ns = std::min(sums.worst_ns, sums.ns);
  return sums;
}

}  // namespace dltap::analyzer
