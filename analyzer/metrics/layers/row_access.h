// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_ROW_ACCESS_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_ROW_ACCESS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/attribution/base/submissions.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What a kernel does with rows (or single elements) that an index names.
enum class RowAccess : uint8_t {
  kNone,
  kRead,
  kReadElements,  // among other work, perhaps
  kAdd,           // to what lies there
  kSum            // what an index that was sorted says twice
};

// By its name, mangled or not, as PyTorch has it.
RowAccess RowAccessOf(std::string_view kernel);

inline constexpr size_t kNoRowSum = std::numeric_limits<size_t>::max();

// The gradient of rows that were read: zeros for all of them, arithmetic with
// the index and its sort prepare the sum. By activity: the kernel that sums up,
// of that kernel and of what prepares it.
std::vector<size_t> FindRowSums(const TraceModel& model, const Process& process,
                                const ProcessAttribution& attribution,
                                const std::vector<Submission>& order);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_ROW_ACCESS_H_
