// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TEXT_DEFINITIONS_H_
#define DLTAP_ANALYZER_READER_TEXT_TEXT_DEFINITIONS_H_

#include <string_view>

#include "analyzer/reader/text/text_handler.h"

namespace dltap::analyzer {

// The handler of a line that defines something: an entry point, an operation,
// a process, a device. nullptr: no such kind of line.
TextHandler FindDefinitionHandler(std::string_view kind);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TEXT_DEFINITIONS_H_
