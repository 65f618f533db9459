// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_CALL_ARGUMENTS_H_
#define DLTAP_ANALYZER_METRICS_BASE_CALL_ARGUMENTS_H_

#include <cstdint>
#include <optional>

#include "analyzer/model/trace_model.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {

// The recorded arguments of one call, by what they mean.
class CallArguments {
 public:
  CallArguments(const TraceModel& model, const Process& process,
                const Call& call)
      : entry_(model.entry_points[call.entry.value()]),
        process_(process),
        call_(call) {}

  std::optional<int64_t> Get(Meaning meaning) const {
    for (size_t i = 0; i < entry_.args.size(); ++i) {
      if (entry_.args[i].meaning != meaning) continue;
      return IntArg(entry_, process_, call_, i);
    }
    return std::nullopt;
  }
  int64_t Get(Meaning meaning, int64_t missing) const {
    return Get(meaning).value_or(missing);
  }
  std::optional<int64_t> Get(opmodel::Dim dim) const {
    return Get(
        static_cast<Meaning>(specs::kFirstDimMeaning + static_cast<int>(dim)));
  }

 private:
  const EntryPoint& entry_;
  const Process& process_;
  const Call& call_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_CALL_ARGUMENTS_H_
