// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PICTURES_TIMELINE_PICTURE_H_
#define DLTAP_ANALYZER_METRICS_PICTURES_TIMELINE_PICTURE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/pictures/pictures.h"

namespace dltap::analyzer {

// Draws parts of a device's time: its streams, why it was idle, and the calls
// of the threads that fed it. Holds references.
class TimelineDrawer {
 public:
  // `gaps` of the device, in time.
  TimelineDrawer(const TraceModel& model, const DeviceView& view,
                 const std::vector<Gap>& gaps, PictureTexts& texts);

  // With about `most_spans` spans; short neighbours are put together.
  TimelinePicture Draw(Interval window, size_t most_spans);

 private:
  // A span before it has a name: an activity, a call or a gap.
  struct Raw {
    Interval span;
    size_t index;
    uint64_t count = 1;
    int64_t longest_ns = 0;
  };
  struct RawLane {
    LaneKind kind;
    size_t id;  // stream, thread
    std::vector<Raw> spans;
  };

  std::vector<RawLane> Lanes(Interval window, Interval& extent) const;
  void AddStreams(Interval window, Interval& extent,
                  std::vector<RawLane>& lanes) const;
  void AddThreads(Interval extent, std::vector<RawLane>& lanes) const;
  void AddGaps(Interval window, std::vector<RawLane>& lanes) const;

  PictureLane Named(const RawLane& lane);
  std::string NameOf(const RawLane& lane) const;
  PictureSpan NamedActivity(const Raw& raw);
  PictureSpan NamedCall(const Raw& raw);
  PictureSpan NamedGap(const Raw& raw);
  uint32_t KernelName(TextId name);
  std::string DetailOf(size_t index) const;

  const TraceModel& model_;
  const DeviceView& view_;
  const std::vector<Gap>& gaps_;
  PictureTexts& texts_;
  absl::flat_hash_map<TextId, uint32_t> kernel_names_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PICTURES_TIMELINE_PICTURE_H_
