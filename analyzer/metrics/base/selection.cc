// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/selection.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace dltap::analyzer {
namespace {

// Ordinals have three digits at most; longer numbers are parts of a UUID.
constexpr size_t kLongestOrdinal = 3;

bool IsOrdinal(std::string_view text) {
  return text.size() <= kLongestOrdinal &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string PlainUuid(std::string_view uuid) {
  for (const std::string_view prefix : {"GPU-", "MIG-", "gpu-", "mig-"}) {
    if (uuid.starts_with(prefix)) uuid.remove_prefix(prefix.size());
  }
  std::string plain;
  for (const char c : uuid) {
    if (c == '-') continue;
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

bool Selects(const Selection& selection, const Process& process) {
  if (selection.rank && process.rank != selection.rank) return false;
  if (!selection.process) return true;
  const std::string pid = std::to_string(process.pid);
  return *selection.process == pid ||
         *selection.process == process.host + ":" + pid;
}

bool Selects(const Selection& selection, const Device& device) {
  if (!selection.device) return true;
  if (IsOrdinal(*selection.device)) {
    return std::to_string(device.ordinal) == *selection.device;
  }
  const std::string wanted = PlainUuid(*selection.device);
  return !wanted.empty() && PlainUuid(device.uuid).starts_with(wanted);
}

}  // namespace dltap::analyzer
