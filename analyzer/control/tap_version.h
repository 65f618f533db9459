// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_TAP_VERSION_H_
#define DLTAP_ANALYZER_CONTROL_TAP_VERSION_H_

#include <optional>
#include <string>

namespace dltap::analyzer {

// What the note in a libdltap.so says of its version; the library is not
// loaded. nullopt: it has no such note.
std::optional<std::string> TapVersion(const std::string& path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_TAP_VERSION_H_
