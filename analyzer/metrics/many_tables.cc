// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/many_tables.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

// In a row: tokens, positions and segments are three.
constexpr uint64_t kLeastLookups = 8;
// What a kernel takes that has next to nothing to do.
constexpr double kLatencyNs = 1500;

}  // namespace

void ManyTables::Kernels::Add(double kernel_ns, bool is_new) {
  ++count;
  new_count += is_new ? 1 : 0;
  ns += kernel_ns;
  latency_ns += std::min(kernel_ns, kLatencyNs);
}

void ManyTables::AddLookup(double ns, bool is_new) {
  row_.Add(ns, is_new);
  lookups_.Add(ns, is_new);
}

void ManyTables::AddProduct() {
  if (row_.count >= kLeastLookups) {
    rows_.count += row_.count;
    rows_.new_count += row_.new_count;
    rows_.ns += row_.ns;
    rows_.latency_ns += row_.latency_ns;
  }
  row_ = {};
}

void ManyTables::AddBackward(double ns) { backward_.Add(ns, false); }

// Backward, each lookup has as many kernels as the others.
ManyTables::Sums ManyTables::Take() {
  AddProduct();
  Sums sums;
  if (rows_.count > 0) {
    const double part = static_cast<double>(rows_.count) /
                        static_cast<double>(lookups_.count);
    // One lookup's latency stays.
    const double gone = 1 - 1 / static_cast<double>(rows_.count);
    sums.count = rows_.new_count;
    sums.ns = rows_.ns + part * backward_.ns;
    sums.latency_ns =
        gone * (rows_.latency_ns + part * backward_.latency_ns);
  }
  *this = {};
  return sums;
}

}  // namespace dltap::analyzer
