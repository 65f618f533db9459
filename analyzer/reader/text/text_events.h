// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TEXT_EVENTS_H_
#define DLTAP_ANALYZER_READER_TEXT_TEXT_EVENTS_H_

#include <string_view>

#include "analyzer/reader/text/text_handler.h"

namespace dltap::analyzer {

// The handler of a line that tells an event: a call, an activity, a sample.
// nullptr: no such kind of line.
TextHandler FindEventHandler(std::string_view kind);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TEXT_EVENTS_H_
