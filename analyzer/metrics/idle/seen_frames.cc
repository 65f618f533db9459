// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/seen_frames.h"

#include <string_view>
#include <utility>

#include "analyzer/metrics/idle/call_sites.h"

namespace dltap::analyzer {

void SeenFrames::Add(const SeenFrames& other) {
  for (size_t i = 0; i < kSeenIn; ++i) {
    all[i] += other.all[i];
    for (size_t role = 0; role < kFrameRoles; ++role) {
      by_role[i][role] += other.by_role[i][role];
    }
    for (const auto& [name, looks] : other.by_name[i]) {
      by_name[i][name] += looks;
    }
  }
}

std::string NameOfPause(const LaunchSite& site) {
  const SiteFrame* library = nullptr;
  const SiteFrame* own = nullptr;
  for (const SiteFrame& frame : site.frames) {
    if (!IsLibraryFile(frame.place)) {
      own = &frame;
      break;
    }
    if (library == nullptr && !InPackage(frame.place).empty()) library = &frame;
  }
  std::string name;
  if (own != nullptr) {
    name = std::string(BaseName(own->place));
    if (own->line > 0) name += ":" + std::to_string(own->line);
    name += " " + own->function;
  }
  if (library != nullptr) {
    if (!name.empty()) name += " > ";
    name += std::string(InPackage(library->place)) + " " + library->function;
  }
  return name;
}

const SeenFramesKeeper::Place& SeenFramesKeeper::PlaceOf(SiteId site) {
  if (places_.empty()) places_.resize(model_.sites.size());
  std::optional<Place>& place = places_[site.value()];
  const LaunchSite& path = model_.sites[site.value()];
  if (!place) place = Place{NameOfPause(path), RoleOf(path)};
  return *place;
}

void SeenFramesKeeper::Add(const Gap& gap) {
  for (const FramesLook& look : gap.looks) {
    const auto in = static_cast<size_t>(look.in);
    ++sums_.all[in];
    if (!look.site.known()) continue;
    const Place& place = PlaceOf(look.site);
    ++sums_.by_role[in][static_cast<size_t>(place.role)];
    if (!place.name.empty()) ++sums_.by_name[in][place.name];
  }
}

SeenFrames SeenFramesKeeper::Take() { return std::exchange(sums_, {}); }

}  // namespace dltap::analyzer
