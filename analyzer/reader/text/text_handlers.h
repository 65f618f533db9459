// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TEXT_HANDLERS_H_
#define DLTAP_ANALYZER_READER_TEXT_TEXT_HANDLERS_H_

#include <string_view>

#include "analyzer/reader/text/text_builder.h"
#include "analyzer/reader/text/text_fields.h"

namespace dltap::analyzer {

// What a line of one kind does to the model. Errors stay in the fields.
using TextHandler = void (*)(TextFields& fields, TextBuilder& builder);

// nullptr: no such kind of line.
TextHandler FindDefinitionHandler(std::string_view kind);
TextHandler FindEventHandler(std::string_view kind);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TEXT_HANDLERS_H_
