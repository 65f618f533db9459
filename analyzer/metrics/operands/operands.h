// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_OPERANDS_OPERANDS_H_
#define DLTAP_ANALYZER_METRICS_OPERANDS_OPERANDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/attribution/calls/call_meaning.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

enum class OperandUse : uint8_t {
  kRead,
  kWrite,
  kWeight,          // what the library itself calls the weights
  kWeightGradient,  // the same
  kWorkspace,
  kScratch,  // workspace of this call alone
  kComm
};

// Memory that a library call, a copy or a memset works on.
struct Operand {
  uint64_t address;
  int64_t bytes;
  OperandUse use;
  Meaning role;  // kPointerA, ...
  int bits = 0;  // an element; 0: of a copy, a workspace
};

// Those whose size the call tells. Tensors are taken to be dense, results to
// have the element type of the inputs where no other is recorded. `meaning` is
// that of the call, or null.
std::vector<Operand> OperandsOf(const TraceModel& model, const Process& process,
                                const Call& call, const CallMeaning* meaning);

// The weights of a convolution that a graph of cuDNN runs, or their gradient,
// if they are not among the call's `operands`: they lie where the trace does
// not tell, at address 0. nullopt: no such call.
std::optional<Operand> UnplacedWeights(const CallMeaning& meaning,
                                       const std::vector<Operand>& operands);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_OPERANDS_OPERANDS_H_
