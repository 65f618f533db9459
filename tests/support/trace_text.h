// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_SUPPORT_TRACE_TEXT_H_
#define DLTAP_TESTS_SUPPORT_TRACE_TEXT_H_

#include <string>
#include <string_view>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The model of a trace written as text (grammar: analyzer/reader/README.md).
// Ends the test program with the line number and reason when it is malformed.
// As in every model, time 0 is the first call, activity or range.
TraceModel TraceFromText(std::string_view text);

// The same in the other direction.
std::string TextFromTrace(const TraceModel& model, bool canonical = false);

}  // namespace dltap::analyzer

#endif  // DLTAP_TESTS_SUPPORT_TRACE_TEXT_H_
