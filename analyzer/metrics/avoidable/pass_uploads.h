// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_PASS_UPLOADS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_PASS_UPLOADS_H_

#include <cstdint>
#include <map>

#include "absl/container/flat_hash_set.h"

namespace dltap::analyzer {

// Tensors that the host makes again and again while a pass goes through the
// layers, and copies from pageable memory: masks, positions. METRICS.md
// "Avoidable work", pass_uploads.
class PassUploads {
 public:
  struct Sums {
    uint64_t count = 0;  // times that copies stand between two products
    double ns = 0;       // of the copies
  };

  void AddUpload(uint64_t bytes, double ns, bool is_new);
  // A product of the forward pass; `weights` tells its weights from others.
  // What was copied since the product before belongs to the pass, if that goes
  // on: with weights that it has used before, another one begins.
  void AddProduct(uint64_t weights);
  // Behind it comes another pass, with what it takes.
  void AddBackward() { EndPass(); }
  // What the window showed.
  Sums Take();

 private:
  struct Copies {
    uint64_t times = 0;
    Sums sums;
  };
  void EndPass();

  absl::flat_hash_set<uint64_t> weights_;  // of the pass so far
  uint64_t pending_bytes_ = 0;             // since its last product
  Sums pending_;
  std::map<uint64_t, Copies> of_bytes_;  // in the pass
  Sums sums_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_PASS_UPLOADS_H_
