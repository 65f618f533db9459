// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_DEVICES_STEP_SIGNS_H_
#define DLTAP_ANALYZER_METRICS_DEVICES_STEP_SIGNS_H_

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/windows/device_timeline.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

// How often, and in how many steps, a device shows what a program could do
// otherwise. METRICS.md "Signs".
namespace dltap::analyzer {

enum class Sign : uint8_t {
  // Copies, in any step that has one.
  kUpload,            // host to device
  kPageableUpload,    // of these, from pageable memory
  kSmallUpload,       // of these, so small that all of it is latency
  kDownload,          // device to host, larger than a small read
  kPageableDownload,  // of these, to pageable memory
  kSmallRead,         // device to host, so small that a program looks at it
  // Idle time, in steps of which it is a noticeable part.
  kInputIdle,
  kPreemptedIdle,
  kBlockedIdle,
  // Launch, library, framework, latency, and short times that are unknown.
  kLaunchIdle,
  kReadIdle,      // after small reads had emptied the queue; no input or sleep
  kUploadIdle,    // the same after small uploads
  kWaitIdle,      // the same after waits for no copy from or to the host
  kFreeIdle,      // the same after calls that give or take memory, and wait
  kDownloadIdle,  // the same after downloads, with all till a copy back
  kPauseIdle,     // between calls, in gaps where that is long at once
  // Exposed communication behind the last backward pass of a step, likewise.
  kLateComm,
  kCount
};
inline constexpr size_t kSigns = static_cast<size_t>(Sign::kCount);
std::string_view Name(Sign sign);

// Sums over the windows of a device.
struct SignSums {
  uint64_t count = 0;      // activities, or gaps that hold some of it
  int64_t ns = 0;          // their time inside the windows
  int64_t exposed_ns = 0;  // of ns, copies: the device did nothing else
  int64_t asleep_ns = 0;   // of ns, pauses: the host was asleep
  uint64_t bytes = 0;      // copies
  uint64_t steps = 0;      // windows that show it

  void Add(const SignSums& other);
  auto operator<=>(const SignSums&) const = default;
};
struct StepSigns {
  std::array<SignSums, kSigns> sums{};
  PerClass<uint64_t> class_steps{};  // windows in which one of the class begins

  const SignSums& of(Sign sign) const {
    return sums[static_cast<size_t>(sign)];
  }
  void Add(const StepSigns& other);
  // Makes all windows, parts of a run without steps, one of that length.
  void JoinWindows(int64_t window_ns);
  auto operator<=>(const StepSigns&) const = default;
};

// The largest copy that is taken for a value that the program looks at.
inline constexpr uint64_t kSmallReadBytes = 16;
// The largest copy from pageable memory that costs what the smallest does.
inline constexpr uint64_t kSmallUploadBytes = 64 << 10;

// Fills the table of one device. Each of the three kinds of input comes in
// time; all segments and activities before the first gap. Holds references.
class SignKeeper {
 public:
  SignKeeper(const TraceModel& model, const Process& process,
             const std::vector<StepWindow>& windows)
      : model_(model), process_(process), windows_(windows) {}

  // `direction` is that of what leads, `window` the one it lies in.
  void AddSegment(const Segment& segment, Direction direction, size_t window);
  // `inside_ns` of it lie in the windows; `is_new`: not counted before.
  void AddActivity(const Activity& activity, LayerClass layer_class,
                   int64_t inside_ns, bool is_new);
  void AddGap(const Gap& gap);
  StepSigns Take();

 private:
  void AddUpload(const Activity& activity, int64_t inside_ns, bool is_new);
  void AddDownload(const Activity& activity, int64_t inside_ns, bool is_new);
  void AddCopy(Sign sign, const Activity& activity, int64_t inside_ns,
               bool is_new);
  void AddIdle(Sign sign, size_t window, int64_t ns, bool is_new = true);
  // What emptied the queue before the gap; kCount: none of those.
  Sign FollowWaits(const Gap& gap);
  bool GivesOrTakesMemory(CallId call) const;
  bool EndsByCopyBack(const Gap& gap) const;
  static int64_t PauseNs(const Gap& gap);
  static int64_t LaunchNs(const Gap& gap);
  void CloseWindow();
  void FollowComm(const Segment& segment, Direction direction, size_t window);
  void CloseBackward();
  SignSums& Of(Sign sign) { return out_.sums[static_cast<size_t>(sign)]; }

  const TraceModel& model_;
  const Process& process_;
  const std::vector<StepWindow>& windows_;
  size_t near_ = 0;  // window of the activity before
  size_t segment_window_ = 0;
  bool has_backward_ = false;  // the segments' window so far
  int64_t late_comm_ns_ = 0;   // after that
  // One more than the window that last showed it; 0: none did.
  std::array<size_t, kSigns> seen_in_{};
  PerClass<size_t> class_seen_in_{};
  std::array<int64_t, kSigns> idle_ns_{};  // in the gaps' window so far
  size_t gap_window_ = 0;
  // By the end of a copy from or to the host, what idle time after it is;
  // kCount: none of these signs.
  absl::flat_hash_map<int64_t, Sign> copy_ends_;
  absl::flat_hash_map<CallId, Sign> waits_;
  absl::flat_hash_set<CallId> counted_waits_;
  absl::flat_hash_set<uint64_t> downloaded_bytes_;  // sizes of downloads
  StepSigns out_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_DEVICES_STEP_SIGNS_H_
