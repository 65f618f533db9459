// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PASS_UPLOADS_H_
#define DLTAP_ANALYZER_METRICS_PASS_UPLOADS_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"

namespace dltap::analyzer {

// Tensors that the host makes while a pass goes through the layers, and copies
// from pageable memory: masks, positions. METRICS.md "Avoidable work",
// pass_uploads.
class PassUploads {
 public:
  struct Sums {
    uint64_t count = 0;  // times that copies stand between two products
    double ns = 0;       // of the copies
  };

  void AddUpload(double ns, bool is_new);
  // A product of the forward pass; `weights` tells its weights from others.
  // What was copied since the product before belongs to the pass, if that goes
  // on: with weights that it has used before, another one begins.
  Sums AddProduct(uint64_t weights);
  // Behind it comes another pass, with what it takes.
  void AddBackward() { Clear(); }

 private:
  void Clear();

  absl::flat_hash_set<uint64_t> weights_;  // of the pass so far
  Sums pending_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PASS_UPLOADS_H_
