// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/json_host.h"

namespace dltap::analyzer {

void WriteCpu(const std::optional<CpuTimes>& cpu, JsonWriter& json) {
  if (!cpu) return json.Null();
  json.BeginObject();
  json.Field("cores", cpu->cores);
  json.Field("wall_ns", cpu->wall_ns);
  json.Field("cpu_ns", cpu->cpu_ns);
  json.Key("threads");
  json.BeginArray();
  for (const CpuTimes::OfThread& thread : cpu->threads) {
    json.BeginObject();
    json.Field("tid", thread.tid);
    json.Key("name");
    thread.name.empty() ? json.Null() : json.Value(thread.name);
    json.Field("cpu_ns", thread.cpu_ns);
    json.EndObject();
  }
  json.EndArray();
  json.Field("other_threads_ns", cpu->unlisted_ns);
  json.EndObject();
}

void WriteSensitivity(const Sensitivity& row, JsonWriter& json) {
  json.BeginObject();
  json.Field("class", Name(row.layer_class));
  json.Field("sensitivity", row.value);
  json.Field("low", row.low);
  json.Field("high", row.high);
  json.Key("not_measured");
  row.value ? json.Null() : json.Value(Name(row.why));
  json.Field("windows", row.windows);
  json.Field("steps", row.steps);
  json.Field("calls_per_step", row.calls_per_step);
  json.EndObject();
}

std::string_view Name(NotMeasured why) {
  constexpr std::string_view kNames[] = {"measured",    "no_library_call",
                                         "no_steps",    "no_whole_step",
                                         "few_windows", "too_noisy"};
  return kNames[static_cast<size_t>(why)];
}

}  // namespace dltap::analyzer
