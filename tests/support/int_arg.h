// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_SUPPORT_INT_ARG_H_
#define DLTAP_TESTS_SUPPORT_INT_ARG_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The value of the argument of that name; nullopt when the record lacks it.
inline std::optional<int64_t> IntArg(const TraceModel& model,
                                     const Process& process, const Call& call,
                                     std::string_view name) {
  const EntryPoint& entry = model.entry_points[call.entry.value()];
  for (size_t i = 0; i < entry.args.size(); ++i) {
    if (entry.args[i].name == name) return IntArg(entry, process, call, i);
  }
  return std::nullopt;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_TESTS_SUPPORT_INT_ARG_H_
