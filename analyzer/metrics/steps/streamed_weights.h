// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_STREAMED_WEIGHTS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_STREAMED_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Weights that stay on the host and are copied in before each use: several
// layers' take turns at an address, and one layer's may lie at several. Where
// they came from tells them.
class StreamedWeights {
 public:
  StreamedWeights(const TraceModel& model, const Process& process);

  // Whether anything was copied there.
  bool IsTarget(uint64_t address) const { return copies_.contains(address); }
  // Where the weights that lie at `address` at that time live: on the host, if
  // the last copy there was as large and takes turns with others at any
  // address; else that address.
  uint64_t HomeOf(uint64_t address, int64_t bytes, int64_t at_ns) const;

 private:
  struct Copy {
    int64_t at_ns;
    uint64_t from;
    int64_t bytes;
  };

  bool TakeTurns(const std::vector<Copy>& copies) const;
  bool IsRepeated(uint64_t from) const;

  absl::flat_hash_map<uint64_t, size_t> times_from_;  // by address on the host
  absl::flat_hash_map<uint64_t, std::vector<Copy>> copies_;  // by target
  absl::flat_hash_set<uint64_t> take_turns_;                 // on the host
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_STREAMED_WEIGHTS_H_
