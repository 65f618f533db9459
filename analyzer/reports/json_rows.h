// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_JSON_ROWS_H_
#define DLTAP_ANALYZER_REPORTS_JSON_ROWS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/output/json_writer.h"

// Parts of the JSON report that repeat. Each writes fields into the object, or
// elements into the array, that the caller has opened.
namespace dltap::analyzer {

// `imported`: another tool's trace, which cannot show every cause; those are
// null.
void WriteIdle(const std::array<double, kIdleCauses>& ns, bool imported,
               JsonWriter& json);
void WriteIdle(const IdleTimes& ns, bool imported, JsonWriter& json);

void WriteDrained(const DrainTimes& ns, JsonWriter& json);
void WriteStepPart(const StepPart& part, JsonWriter& json);
void WriteDrain(const DrainRow& row, JsonWriter& json);
void WriteUnknown(const UnknownRow& row, JsonWriter& json);
void WriteSeen(const SeenRow& row, JsonWriter& json);

// The numbers of a class or of several together.
void WriteClassFigures(const ClassFigures& figures, JsonWriter& json);

void WriteClass(const ClassRow& row, bool imported, JsonWriter& json);
void WriteExposures(const Exposures& exposures, JsonWriter& json);
void WriteApi(const ApiRow& row, JsonWriter& json);
void WriteKernel(const KernelRow& row, JsonWriter& json);
void WriteOp(const OpRow& row, JsonWriter& json);
void WriteSite(const SiteRow& row, JsonWriter& json);
void WriteLimit(const Limit& limit, JsonWriter& json);
void WriteProcess(const ProcessSummary& process, JsonWriter& json);
void WriteDevice(const DeviceFigures& device, JsonWriter& json);

// "host:pid", which names a process in all reports.
std::string ProcessName(const ProcessKey& process);

// The field "windows": [[begin, end], ...] in ns of the time line.
void WriteWindows(const std::vector<Interval>& windows, JsonWriter& json);

// [[first, last], ...] of ascending indices, into an open array.
void WriteRanges(const std::vector<size_t>& indices, JsonWriter& json);

std::string_view Name(StepsFoundBy found_by);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_JSON_ROWS_H_
