// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DENSE_TABLES_H_
#define DLTAP_ANALYZER_METRICS_DENSE_TABLES_H_

#include <cstdint>

namespace dltap::analyzer {

// Embedding tables whose whole gradient is filled with zeros and whose whole
// weights are updated, though a step looks up few rows of them. METRICS.md
// "Avoidable work", dense_tables.
class DenseTables {
 public:
  // Bytes per ns of the device's memory; 0: unknown, and nothing is told.
  explicit DenseTables(double bandwidth) : bandwidth_(bandwidth) {}

  // Zeros for the gradient of a table of so many bytes.
  void AddZeros(double bytes, double ns, bool is_new);
  void AddLookup(double ns) { lookup_ns_ += ns; }  // of the forward pass
  void AddUpdate(double ns) { update_ns_ += ns; }  // of anything

  // Whether a step looks up little of the tables, whatever its lookups moved.
  bool AreSparse() const;
  uint64_t count() const { return count_; }
  double ns() const;        // for the zeros and of the update, at most
  double worst_ns() const;  // of that, with sparse gradients

 private:
  double bandwidth_;
  uint64_t count_ = 0;
  double zeros_bytes_ = 0;
  double zeros_ns_ = 0;
  double lookup_ns_ = 0;
  double update_ns_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DENSE_TABLES_H_
