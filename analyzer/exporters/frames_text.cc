// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/frames_text.h"

#include "analyzer/metrics/idle/seen_frames.h"

namespace dltap::analyzer {

FramesText TextOf(const TraceModel& model, const FramesSeen& seen) {
  FramesText text;
  if (seen.site.known()) {
    const LaunchSite& site = model.sites[seen.site.value()];
    text.place = NameOfPause(site);
    for (const SiteFrame& frame : site.frames) {
      if (!text.stack.empty()) text.stack += "\n";
      text.stack += frame.function + " (" + frame.place;
      if (frame.line > 0) text.stack += ":" + std::to_string(frame.line);
      text.stack += ")";
    }
  }
  if (text.place.empty()) text.place = "unknown code";
  return text;
}

}  // namespace dltap::analyzer
