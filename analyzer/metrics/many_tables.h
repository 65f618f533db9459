// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MANY_TABLES_H_
#define DLTAP_ANALYZER_METRICS_MANY_TABLES_H_

#include <cstdint>

namespace dltap::analyzer {

// Lookups of embedding tables one after the other, each of so few rows that the
// kernels' latency is most of their time. METRICS.md "Avoidable work",
// many_tables.
class ManyTables {
 public:
  struct Sums {
    uint64_t count = 0;  // lookups
    double ns = 0;       // of their kernels, forward and backward
    double latency_ns = 0;  // of that, what one lookup of all would not take
  };

  // Kernels of a device in time.
  void AddLookup(double ns, bool is_new);
  void AddProduct();  // of the forward pass: what it multiplies is looked up
  void AddBackward(double ns);
  // What the passes of a window showed.
  Sums Take();

 private:
  struct Kernels {
    uint64_t count = 0;
    uint64_t new_count = 0;
    double ns = 0;
    double latency_ns = 0;
    void Add(double ns, bool is_new);
  };

  Kernels row_;
  Kernels rows_;      // long ones
  Kernels lookups_;   // all
  Kernels backward_;  // of all
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MANY_TABLES_H_
