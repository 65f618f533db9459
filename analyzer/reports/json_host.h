// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_JSON_HOST_H_
#define DLTAP_ANALYZER_REPORTS_JSON_HOST_H_

#include <optional>
#include <string_view>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {

void WriteCpu(const std::optional<CpuTimes>& cpu, JsonWriter& json);
void WriteSensitivity(const Sensitivity& row, JsonWriter& json);

std::string_view Name(NotMeasured why);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_JSON_HOST_H_
