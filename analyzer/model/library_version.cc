// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/library_version.h"

#include <cstdint>

namespace dltap::analyzer {
namespace {

// Numbers joined by dots.
std::string Dotted(uint64_t major, uint64_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}
std::string Dotted(uint64_t major, uint64_t minor, uint64_t patch) {
  return Dotted(major, minor) + "." + std::to_string(patch);
}

}  // namespace

std::string VersionText(const LibraryVersion& version) {
  const uint64_t n = version.number;
  if (!version.text.empty()) return version.text;
  if (version.library == "cuda" || version.library == "cudart") {
    return Dotted(n / 1000, n % 1000 / 10);
  }
  if (n >= 10000) return Dotted(n / 10000, n % 10000 / 100, n % 100);
  // cuDNN before 9, NCCL before 2.9.
  if (n >= 1000) return Dotted(n / 1000, n % 1000 / 100, n % 100);
  return std::to_string(n);
}

}  // namespace dltap::analyzer
