// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_HEX_TEXT_H_
#define DLTAP_ANALYZER_READER_HEX_TEXT_H_

#include <absl/strings/escaping.h>

#include <cstdint>
#include <span>
#include <string>

namespace dltap::analyzer {

// Two lower-case digits a byte, as device UUIDs and build ids are written.
inline std::string HexText(std::span<const uint8_t> bytes) {
  return absl::BytesToHexString(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_HEX_TEXT_H_
