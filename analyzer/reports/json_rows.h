// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_JSON_ROWS_H_
#define DLTAP_ANALYZER_REPORTS_JSON_ROWS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/figures.h"
#include "analyzer/output/json_writer.h"

// Parts of the JSON report that repeat. Each writes fields into the object, or
// elements into the array, that the caller has opened.
namespace dltap::analyzer {

// `imported`: another tool's trace, which cannot show every cause; those are
// null.
void WriteIdle(const std::array<double, kIdleCauses>& ns, bool imported,
               JsonWriter& json);
void WriteIdle(const IdleTimes& ns, bool imported, JsonWriter& json);

// The numbers of a class or of several together.
void WriteClassFigures(const ClassFigures& figures, JsonWriter& json);

void WriteClass(const ClassRow& row, bool imported, JsonWriter& json);
void WriteApi(const ApiRow& row, JsonWriter& json);
void WriteKernel(const KernelRow& row, JsonWriter& json);
void WriteOp(const OpRow& row, JsonWriter& json);
void WriteLimit(const Limit& limit, JsonWriter& json);
void WriteCpu(const std::optional<CpuUse>& cpu, JsonWriter& json);
void WriteSensitivity(const Sensitivity& row, JsonWriter& json);
void WriteProcess(const ProcessSummary& process, JsonWriter& json);
void WriteDevice(const DeviceFigures& device, JsonWriter& json);

// "host:pid", which names a process in all reports.
std::string ProcessName(const ProcessSummary& process);

// [[first, last], ...] of ascending indices, into an open array.
void WriteRanges(const std::vector<size_t>& indices, JsonWriter& json);

std::string_view Name(StepsFoundBy found_by);
std::string_view Name(StepUse use);
std::string_view Name(NotMeasured why);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_JSON_ROWS_H_
