// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_OUTPUT_INDENTED_JSON_H_
#define DLTAP_ANALYZER_OUTPUT_INDENTED_JSON_H_

#include <string>
#include <string_view>

namespace dltap::analyzer {

// A document of JsonWriter with a line for each value, two spaces a level.
std::string Indented(std::string_view json);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_OUTPUT_INDENTED_JSON_H_
