// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_PICTURES_PICTURES_H_
#define DLTAP_ANALYZER_METRICS_PICTURES_PICTURES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/devices/device_summary.h"
#include "analyzer/metrics/devices/step_series.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/layers/layer_tree.h"
#include "analyzer/metrics/windows/step_choice.h"
#include "analyzer/metrics/windows/window.h"

// What pictures show and sums don't hold: single steps, the spans of three of
// them, the longest gaps. Bounded in size, however long the trace is: steps are
// put together into bins, short neighbouring spans into one.
namespace dltap::analyzer {

// Each text once; 0 is the empty one.
class PictureTexts {
 public:
  PictureTexts() { NumberOf(""); }
  uint32_t NumberOf(std::string_view text);
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
  std::map<std::string, uint32_t, std::less<>> numbers_;
};

// A step of one process, used or not, as the device sees it.
struct MarkedWindow {
  StepWindow window;
  StepUse use;
  size_t process;  // into DevicePicture::processes
  size_t step;     // of that process
};

// One step, or `count` in a row of the same process and use, added up.
struct StripStep {
  size_t process;
  size_t step;  // the first
  uint64_t count = 1;
  int64_t begin_ns;
  int64_t ns;
  StepUse use;
};

// Steps in time, and what each is made of: a window of the series each. Used
// steps have what DeviceSummary::series has of them; a step that overlaps one
// of another process may have nothing.
struct StepStrip {
  std::vector<StripStep> steps;
  StepSeries series;
};

// One of the longest gaps of used steps with this cause and class.
struct LongGap {
  Interval span;
  size_t process;
  size_t step;
  IdleCause cause;                        // has most of it
  std::optional<LayerClass> layer_class;  // nullopt: between steps
  int64_t cause_ns;                       // of the cause alone
  uint32_t before;  // texts: the call that had emptied the queue,
  uint32_t after;   // what ended the gap,
  uint32_t call;    // and the call that submitted it
  // Into DevicePicture::timelines: one that shows it.
  std::optional<size_t> timeline;
};

enum class LaneKind : uint8_t { kIdle, kStream, kThread };

// A span of a lane, or `count` short neighbours as one, named by the longest.
struct PictureSpan {
  int64_t begin_ns;
  int64_t end_ns;
  uint32_t name;    // text
  uint32_t detail;  // text: arguments, sizes, the launch
  uint32_t count = 1;
  uint8_t kind = 0;   // stream: LayerClass; idle: IdleCause; thread: 0
  uint32_t call = 0;  // thread: this call; stream: the one that submitted it.
                      // Numbers from 1; 0: none, unknown or put together.
};

struct PictureLane {
  LaneKind kind;
  std::string name;
  std::vector<PictureSpan> spans;  // in time
};

struct TimelinePicture {
  // "fastest", "median", "slowest", "only", "run"; "gap": around a long one.
  std::string which;
  size_t process = 0;
  std::optional<size_t> step;  // nullopt: the whole run
  Interval window{};
  Interval extent{};      // with the calls that submitted its work
  uint64_t together = 0;  // spans that are drawn as part of another
  std::vector<PictureLane> lanes;
};

// A peak of a device's roof.
struct Roof {
  std::string name;  // "f32"
  double tflops;
};

struct DevicePicture {
  std::vector<ProcessKey> processes;
  int ordinal = 0;
  std::string name;
  std::optional<double> bandwidth_gbs;  // nullopt: not a known GPU
  std::vector<Roof> roofs;
  uint64_t steps = 0;  // that `strip` shows, in bins or not
  StepStrip strip;
  std::vector<LongGap> gaps;  // by length
  std::vector<TimelinePicture> timelines;
};

struct Pictures {
  PictureTexts texts;
  std::vector<DevicePicture> devices;
  LayerTree layers;  // of all devices
  // What is left for further devices, which share it alike.
  size_t devices_left = 1;
  size_t spans_left = 600'000;
  size_t steps_left = 20'000;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_PICTURES_PICTURES_H_
