// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/toolkit.h"

#include <charconv>
#include <cstdio>

#include "simgpu/base/config.h"
#include "simgpu/base/library_versions.h"

namespace dltap::simgpu {
namespace {

struct Release {
  int major;
  int minor;
  uint32_t api_version;
};

// cupti_version.h, CUPTI_API_VERSION.
constexpr Release kReleases[] = {
    {10, 2, 12},     {11, 0, 13},     {11, 1, 14}, {11, 2, 15}, {11, 5, 16},
    {11, 6, 17},     {11, 8, 18},     {12, 0, 19}, {12, 2, 20}, {12, 3, 21},
    {12, 4, 22},     {12, 5, 23},     {12, 6, 24}, {12, 8, 26}, {12, 9, 27},
    {13, 0, 130001}, {13, 3, 130300},
};

// "12.4": major and minor; false: not of this form.
bool ParseRelease(std::string_view text, int& major, int& minor) {
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') {
    return false;
  }
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  return second.ec == std::errc() && second.ptr == end;
}

uint32_t Choose() {
  const std::string& wanted = GetConfig().cupti_toolkit;
  const uint32_t own = GetLibraryVersions().cupti_api;
  if (wanted.empty()) return own;
  if (const auto version = ApiVersionOf(wanted)) return *version;
  std::fprintf(
      stderr,
      "dltap: simgpu: DLTAP_SIM_CUPTI_VERSION=%s is not a release from %d.%d "
      "to %d.%d; using API version %u\n",
      wanted.c_str(), std::begin(kReleases)->major,
      std::begin(kReleases)->minor, std::prev(std::end(kReleases))->major,
      std::prev(std::end(kReleases))->minor, own);
  return own;
}

}  // namespace

std::optional<uint32_t> ApiVersionOf(std::string_view toolkit) {
  int major = 0;
  int minor = 0;
  if (!ParseRelease(toolkit, major, minor)) return std::nullopt;
  std::optional<uint32_t> found;
  for (const Release& release : kReleases) {
    if (release.major == major && release.minor <= minor) {
      found = release.api_version;
    }
  }
  const Release& newest = *std::prev(std::end(kReleases));
  const bool too_new = major == newest.major && minor > newest.minor;
  return too_new ? std::nullopt : found;
}

uint32_t CuptiApiVersion() {
  static const uint32_t version = Choose();
  return version;
}

bool HasScopedActivity() {
  constexpr uint32_t kFirst = 130300;
  return CuptiApiVersion() >= kFirst;
}

}  // namespace dltap::simgpu
