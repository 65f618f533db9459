// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TEXT_HANDLER_H_
#define DLTAP_ANALYZER_READER_TEXT_TEXT_HANDLER_H_

#include "analyzer/reader/text/text_builder.h"
#include "analyzer/reader/text/text_fields.h"

namespace dltap::analyzer {

// What a line of one kind does to the model. Errors stay in the fields.
using TextHandler = void (*)(TextFields& fields, TextBuilder& builder);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TEXT_HANDLER_H_
