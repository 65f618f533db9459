// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_ARGUMENT_MEANINGS_H_
#define DLTAP_ANALYZER_READER_ARGUMENT_MEANINGS_H_

#include <cstdint>
#include <string_view>

#include "analyzer/model/trace_model.h"

// What arguments mean where the source does not say it: traces of format 1.0
// and the text form. The only place that knows arguments by their names.
namespace dltap::analyzer {

inline constexpr uint16_t kFirstWithMeanings = 1;  // minor version

// As our own specs describe the entry point; kNone: they do not.
Meaning MeaningByName(const EntryPoint& entry, std::string_view argument);

void SetMeaningsByName(EntryPoint& entry);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_ARGUMENT_MEANINGS_H_
