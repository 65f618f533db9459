// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_OPERANDS_MADE_SIZES_H_
#define DLTAP_ANALYZER_METRICS_OPERANDS_MADE_SIZES_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A tensor that a framework's kernel made: how large it is, to a block of the
// kernel's grid, but not where.
struct MadeTensor {
  int64_t made_ns;  // begin of the call
  int64_t least_bytes;
  int64_t most_bytes;

  bool MayHave(int64_t bytes) const {
    return least_bytes <= bytes && bytes <= most_bytes;
  }
};

struct MadeTensors {
  std::vector<MadeTensor> casts;   // of 32 bits to 16, in time
  std::vector<MadeTensor> tables;  // gradients of rows that are read by index
};

// Of one device. A table's gradient is what zeros are written to right before
// rows are added to it in the backward pass.
MadeTensors FindMadeTensors(const TraceModel& model, const Process& process,
                            const ProcessAttribution& attribution,
                            DeviceId device);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_OPERANDS_MADE_SIZES_H_
