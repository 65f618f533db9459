// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_DENSE_TABLES_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_DENSE_TABLES_H_

#include <cstdint>
#include <map>
#include <set>

#include "opmodel/operation.h"

namespace dltap::analyzer {

// Embedding tables whose whole gradient is filled with zeros and whose whole
// weights are updated, though a step looks up few rows of them. Tables that
// products multiply with, too, have gradients of every row. METRICS.md
// "Avoidable work", dense_tables.
class DenseTables {
 public:
  // Bytes per ns of the device's memory; 0: unknown, and nothing is told.
  explicit DenseTables(double bandwidth) : bandwidth_(bandwidth) {}

  // Zeros for the gradient of a table of so many bytes.
  void AddZeros(double bytes, double ns, bool is_new);
  void AddLookup(double ns);                       // of the forward pass
  void AddUpdate(double ns) { update_ns_ += ns; }  // of anything
  void AddProduct(const opmodel::Operation& op);

  struct Sums {
    uint64_t count = 0;
    double ns = 0;        // for the zeros and of the update, at most
    double worst_ns = 0;  // of that, with sparse gradients
  };
  // Nothing, unless a step looks up little of the tables.
  Sums Take() const;

 private:
  struct Zeros {
    uint64_t count = 0;
    double bytes = 0;
    double ns = 0;
  };
  bool IsMultiplied(int64_t bytes) const;
  double SparseNs(const Zeros& zeros) const;

  double bandwidth_;
  std::map<int64_t, Zeros> zeros_;  // by bytes of a table
  std::set<int64_t> matrices_;      // elements of what products multiply
  double lookup_ns_ = 0;            // all
  double long_lookup_ns_ = 0;       // beyond what a launch takes
  double update_ns_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_DENSE_TABLES_H_
