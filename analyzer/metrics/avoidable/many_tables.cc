// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/many_tables.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

// In a row: tokens, positions and segments are three.
constexpr uint64_t kLeastLookups = 8;
// What a kernel takes that has next to nothing to do.
constexpr double kLatencyNs = 1500;

}  // namespace

void ManyTables::Kernels::Add(const Kernels& other) {
  lookups += other.lookups;
  new_lookups += other.new_lookups;
  ns += other.ns;
  latency_ns += other.latency_ns;
}

void ManyTables::Pass::Add(double ns, bool is_lookup, bool is_new) {
  row.Add({.lookups = is_lookup ? 1U : 0U,
           .new_lookups = is_lookup && is_new ? 1U : 0U,
           .ns = ns,
           .latency_ns = std::min(ns, kLatencyNs)});
}

void ManyTables::Pass::EndRow() {
  if (row.lookups >= kLeastLookups) rows.Add(row);
  row = {};
}

// Forward, rows of any tensor are taken alike: only gradients tell of tables.
// One lookup's latency stays.
ManyTables::Sums ManyTables::Take() {
  AddProduct();
  Sums sums;
  if (backward_.rows.lookups == 0) forward_ = {};
  for (const Pass* pass : {&forward_, &backward_}) {
    const Kernels& rows = pass->rows;
    if (rows.lookups == 0) continue;
    sums.count = std::max(sums.count, rows.new_lookups);
    sums.ns += rows.ns;
    sums.latency_ns +=
        rows.latency_ns * (1 - 1 / static_cast<double>(rows.lookups));
  }
  *this = {};
  return sums;
}

}  // namespace dltap::analyzer
