// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/text_parser.h"

#include <algorithm>
#include <string>

#include "analyzer/reader/text/text_definitions.h"
#include "analyzer/reader/text/text_events.h"

namespace dltap::analyzer {
namespace {

absl::Status ParseLine(std::string_view text, TextBuilder& builder) {
  absl::StatusOr<TextLine> line = TextLine::Scan(text);
  if (!line.ok()) return line.status();
  if (!line->has_content()) return absl::OkStatus();
  TextHandler handler = FindEventHandler(line->kind());
  if (handler == nullptr) handler = FindDefinitionHandler(line->kind());
  if (handler == nullptr) {
    return absl::InvalidArgumentError("unknown kind of record \"" +
                                      line->kind() + "\"");
  }
  TextFields fields(*line);
  handler(fields, builder);
  return fields.status();
}

}  // namespace

absl::StatusOr<TraceModel> ParseTraceText(std::string_view text) {
  TextBuilder builder;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const absl::Status status = ParseLine(text.substr(0, end), builder);
    if (!status.ok()) {
      return absl::InvalidArgumentError("line " + std::to_string(number) +
                                        ": " + std::string(status.message()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return builder.Finish();
}

}  // namespace dltap::analyzer
