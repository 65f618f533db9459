// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_NEEDLESS_CASTS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_NEEDLESS_CASTS_H_

#include <cstdint>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A tensor that is cast to another type and, by the next kernel, back.
// METRICS.md "Avoidable work", needless_casts.
class NeedlessCasts {
 public:
  struct Cast {
    TextId name;
    StreamId stream;
    double bytes;
    double ns;
    bool is_new;
  };
  struct Sums {
    uint64_t count = 0;
    double ns = 0;
  };

  // All kernels in the device's order: casts, and what is none.
  Sums AddCast(const Cast& cast);
  void AddOther() { has_last_ = false; }

 private:
  Cast last_{};
  bool has_last_ = false;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_NEEDLESS_CASTS_H_
