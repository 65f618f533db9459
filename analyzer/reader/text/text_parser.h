// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TEXT_PARSER_H_
#define DLTAP_ANALYZER_READER_TEXT_TEXT_PARSER_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A trace written as text (grammar: analyzer/reader/README.md) as a normalised
// model. The inverse of PrintTrace; what unit tests write by hand.
absl::StatusOr<TraceModel> ParseTraceText(std::string_view text);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TEXT_PARSER_H_
