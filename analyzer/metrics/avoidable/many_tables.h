// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_MANY_TABLES_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_MANY_TABLES_H_

#include <cstdint>

namespace dltap::analyzer {

// Lookups of embedding tables one after the other, each of so few rows that the
// kernels' latency is most of their time. METRICS.md "Avoidable work",
// many_tables.
class ManyTables {
 public:
  struct Sums {
    uint64_t count = 0;     // lookups
    double ns = 0;          // of their kernels, forward and backward
    double latency_ns = 0;  // of that, what one lookup of all would not take
  };

  // Kernels of a device in time. Backward, a lookup has one kernel that adds up
  // the gradients of its table, and others around it.
  void AddLookup(double ns, bool is_new) { forward_.Add(ns, true, is_new); }
  void AddBackward(double ns, bool adds_up, bool is_new) {
    backward_.Add(ns, adds_up, is_new);
  }
  // Of either pass: what it multiplies, or makes, is of one lookup.
  void AddProduct() {
    forward_.EndRow();
    backward_.EndRow();
  }
  // What the passes of a window showed.
  Sums Take();

 private:
  struct Kernels {
    uint64_t lookups = 0;
    uint64_t new_lookups = 0;
    double ns = 0;
    double latency_ns = 0;
    void Add(const Kernels& other);
  };
  struct Pass {
    Kernels row;
    Kernels rows;  // long ones
    void Add(double ns, bool is_lookup, bool is_new);
    void EndRow();
  };

  Pass forward_;
  Pass backward_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_MANY_TABLES_H_
