// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_REPEATED_TOKENS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_REPEATED_TOKENS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {

// Decoding that keeps nothing of the tokens before: with each token the
// products have as many rows more, and multiply all others again. METRICS.md
// "Avoidable work", repeated_tokens.
class RepeatedTokens {
 public:
  struct Product {
    uint64_t weights;  // tells them from others
    int64_t rows;      // that they are multiplied with
    double ns;
    double weights_ns;  // what reading them takes at least
    bool is_new;
  };
  struct Sums {
    uint64_t count = 0;  // products
    double ns = 0;
    double best_ns = 0;   // with the rows that are new alone
    double worst_ns = 0;  // the same
  };

  // Products in time, none of a backward pass.
  void AddProduct(const Product& product);
  // Then sequences are trained on, not continued.
  void AddBackward() { is_trained_ = true; }
  // What the window showed. Rows grow from one to the next.
  Sums Take();

 private:
  struct Rows {
    int64_t count = 0;
    int64_t growth = 0;
    int times = 0;  // in a row that they grew by so many
  };
  absl::flat_hash_map<uint64_t, Rows> of_weights_;
  Sums sums_;
  bool is_trained_ = false;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_REPEATED_TOKENS_H_
