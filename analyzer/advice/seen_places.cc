// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/seen_places.h"

#include <cstdint>

#include "absl/strings/str_format.h"

namespace dltap::analyzer {
namespace {

constexpr uint64_t kLeastLooks = 10;  // tell a half to about a sixth

}  // namespace

std::string SeenPlaces(const Facts& facts, SeenIn in) {
  constexpr int kMostPlaces = 2;
  std::string places;
  int count = 0;
  for (const SeenRow& row : facts.figures.program.seen_in) {
    if (row.in != in || row.small || row.of < kLeastLooks) continue;
    if (count++ == kMostPlaces) break;
    absl::StrAppendFormat(&places, "%s%s %.2f ms", places.empty() ? "" : ", ",
                          row.name, row.step_ns * 1e-6);
  }
  return places;
}

std::optional<double> SeenShare(const Facts& facts, SeenIn in, FrameRole role) {
  const SeenFrames& seen = facts.totals.seen_frames;
  const auto state = static_cast<size_t>(in);
  if (seen.all[state] < kLeastLooks) return std::nullopt;
  return static_cast<double>(seen.by_role[state][static_cast<size_t>(role)]) /
         static_cast<double>(seen.all[state]);
}

}  // namespace dltap::analyzer
