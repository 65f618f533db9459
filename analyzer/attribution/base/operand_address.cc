// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/base/operand_address.h"

namespace dltap::analyzer {

uint64_t OperandAddress(const TraceModel& model, const Process& process,
                        const Call& call, Meaning operand) {
  const EntryPoint& entry = model.entry_points[call.entry.value()];
  for (size_t i = 0; i < entry.args.size(); ++i) {
    if (entry.args[i].meaning != operand) continue;
    const auto value = IntArg(entry, process, call, i);
    return value ? static_cast<uint64_t>(*value) : 0;
  }
  return 0;
}

uint64_t WeightAddress(const TraceModel& model, const Process& process,
                       const Call& call) {
  const uint64_t first =
      OperandAddress(model, process, call, Meaning::kPointerA);
  const bool is_square =
      first == OperandAddress(model, process, call, Meaning::kPointerB);
  return is_square ? 0 : first;
}

}  // namespace dltap::analyzer
