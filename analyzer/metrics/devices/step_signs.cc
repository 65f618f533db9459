// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/devices/step_signs.h"

#include <algorithm>

#include "analyzer/metrics/base/add_arrays.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

// One in so many ns of a step is a noticeable part of it.
constexpr int64_t kNoticeable = 50;

// Between two calls, the host parts of frameworks are shorter than this.
constexpr int64_t kLongPauseNs = 2'000'000;

bool IsUpload(const Activity& activity) {
  return activity.kind == ActivityKind::kMemcpy &&
         activity.copy == CopyKind::kHostToDevice;
}

bool IsPageable(const Activity& activity) {
  return (IsUpload(activity) ? activity.source : activity.target) ==
         MemoryKind::kPageable;
}

bool IsSmallUpload(const Activity& activity) {
  return IsPageable(activity) && activity.bytes <= kSmallUploadBytes;
}

bool IsRead(const Activity& activity) {
  return activity.kind == ActivityKind::kMemcpy &&
         activity.copy == CopyKind::kDeviceToHost;
}

// Whether the window is not the one that `seen_in` holds, which it then is.
bool IsFirstIn(size_t window, size_t& seen_in) {
  const bool is_first = seen_in != window + 1;
  seen_in = window + 1;
  return is_first;
}

int64_t Of(const IdleTimes& ns, IdleCause cause) {
  return ns[static_cast<size_t>(cause)];
}

}  // namespace

std::string_view Name(Sign sign) {
  constexpr std::string_view kNames[kSigns] = {
      "upload",      "pageable_upload",   "small_upload",
      "download",    "pageable_download", "small_read",
      "input_idle",  "preempted_idle",    "blocked_idle",
      "launch_idle", "read_idle",         "upload_idle",
      "wait_idle",   "free_idle",         "download_idle",
      "pause_idle",  "late_comm"};
  return kNames[static_cast<size_t>(sign)];
}

void SignSums::Add(const SignSums& other) {
  count += other.count;
  ns += other.ns;
  exposed_ns += other.exposed_ns;
  asleep_ns += other.asleep_ns;
  bytes += other.bytes;
  steps += other.steps;
}

void StepSigns::Add(const StepSigns& other) {
  for (size_t i = 0; i < kSigns; ++i) sums[i].Add(other.sums[i]);
  AddTo(class_steps, other.class_steps);
}

void StepSigns::JoinWindows(int64_t window_ns) {
  for (size_t i = 0; i < kSigns; ++i) {
    const bool by_time = i >= static_cast<size_t>(Sign::kInputIdle);
    const bool shows =
        by_time ? sums[i].ns > 0 && sums[i].ns >= window_ns / kNoticeable
                : sums[i].steps > 0;
    sums[i].steps = shows ? 1 : 0;
  }
  // It is behind the last backward pass of a step, and there are none.
  sums[static_cast<size_t>(Sign::kLateComm)] = {};
  for (uint64_t& steps : class_steps) steps = std::min<uint64_t>(steps, 1);
}

void SignKeeper::CloseBackward() {
  if (has_backward_ && late_comm_ns_ > 0) {
    SignSums& sums = Of(Sign::kLateComm);
    ++sums.count;
    sums.ns += late_comm_ns_;
    const int64_t step_ns = windows_[segment_window_].span.length_ns();
    sums.steps += late_comm_ns_ >= step_ns / kNoticeable ? 1 : 0;
  }
  has_backward_ = false;
  late_comm_ns_ = 0;
}

void SignKeeper::FollowComm(const Segment& segment, Direction direction,
                            size_t window) {
  if (window != segment_window_) CloseBackward();
  segment_window_ = window;
  if (segment.state == DeviceState::kComm) {
    late_comm_ns_ += segment.span.length_ns();
  } else if (segment.state == DeviceState::kCompute && IsBackward(direction)) {
    has_backward_ = true;
    late_comm_ns_ = 0;
  }
}

void SignKeeper::AddSegment(const Segment& segment, Direction direction,
                            size_t window) {
  FollowComm(segment, direction, window);
  if (segment.state != DeviceState::kCopy) return;
  const Activity& activity = process_.activities[segment.leading];
  const int64_t ns = segment.span.length_ns();
  const bool is_pageable = IsPageable(activity);
  if (IsUpload(activity)) {
    Of(Sign::kUpload).exposed_ns += ns;
    if (is_pageable) Of(Sign::kPageableUpload).exposed_ns += ns;
    if (IsSmallUpload(activity)) Of(Sign::kSmallUpload).exposed_ns += ns;
  } else if (IsRead(activity) && activity.bytes > kSmallReadBytes) {
    Of(Sign::kDownload).exposed_ns += ns;
    if (is_pageable) Of(Sign::kPageableDownload).exposed_ns += ns;
  }
}

void SignKeeper::AddCopy(Sign sign, const Activity& activity, int64_t inside_ns,
                         bool is_new) {
  SignSums& sums = Of(sign);
  sums.ns += inside_ns;
  if (!is_new) return;
  ++sums.count;
  sums.bytes += activity.bytes;
  sums.steps += IsFirstIn(near_, seen_in_[static_cast<size_t>(sign)]);
}

void SignKeeper::AddUpload(const Activity& activity, int64_t inside_ns,
                           bool is_new) {
  AddCopy(Sign::kUpload, activity, inside_ns, is_new);
  copy_ends_[activity.end_ns] =
      IsSmallUpload(activity) ? Sign::kUploadIdle : Sign::kCount;
  if (!IsPageable(activity)) return;
  AddCopy(Sign::kPageableUpload, activity, inside_ns, is_new);
  if (!IsSmallUpload(activity)) return;
  AddCopy(Sign::kSmallUpload, activity, inside_ns, is_new);
}

void SignKeeper::AddDownload(const Activity& activity, int64_t inside_ns,
                             bool is_new) {
  AddCopy(Sign::kDownload, activity, inside_ns, is_new);
  copy_ends_[activity.end_ns] = Sign::kDownloadIdle;
  // Small copies are as large as each other by chance.
  if (activity.bytes > kSmallUploadBytes) {
    downloaded_bytes_.insert(activity.bytes);
  }
  if (!IsPageable(activity)) return;
  AddCopy(Sign::kPageableDownload, activity, inside_ns, is_new);
}

void SignKeeper::AddActivity(const Activity& activity, LayerClass layer_class,
                             int64_t inside_ns, bool is_new) {
  while (near_ + 1 < windows_.size() &&
         windows_[near_].span.end_ns <= activity.begin_ns) {
    ++near_;
  }
  const auto of_class = static_cast<size_t>(layer_class);
  if (is_new) {
    out_.class_steps[of_class] += IsFirstIn(near_, class_seen_in_[of_class]);
  }
  if (IsUpload(activity)) {
    AddUpload(activity, inside_ns, is_new);
  } else if (IsRead(activity) && activity.bytes > kSmallReadBytes) {
    AddDownload(activity, inside_ns, is_new);
  } else if (IsRead(activity)) {
    AddCopy(Sign::kSmallRead, activity, inside_ns, is_new);
    copy_ends_[activity.end_ns] = Sign::kReadIdle;
  }
}

void SignKeeper::AddIdle(Sign sign, size_t window, int64_t ns, bool is_new) {
  if (ns <= 0) return;
  if (window != gap_window_) CloseWindow();
  gap_window_ = window;
  SignSums& sums = Of(sign);
  sums.count += is_new ? 1 : 0;
  sums.ns += ns;
  idle_ns_[static_cast<size_t>(sign)] += ns;
}

void SignKeeper::CloseWindow() {
  for (size_t i = 0; i < kSigns; ++i) {
    if (idle_ns_[i] == 0) continue;
    const int64_t step_ns = windows_[gap_window_].span.length_ns();
    out_.sums[i].steps += idle_ns_[i] >= step_ns / kNoticeable ? 1 : 0;
  }
  idle_ns_ = {};
}

bool SignKeeper::GivesOrTakesMemory(CallId call) const {
  const EntryPointId entry = process_.calls[call.value()].entry;
  const auto* info = model_.entry_points[entry.value()].info;
  if (info == nullptr) return false;
  switch (info->kind) {
    case specs::Kind::kMalloc:
    case specs::Kind::kFree:
    case specs::Kind::kHostMalloc:
    case specs::Kind::kHostFree: return true;
    default: return false;
  }
}

// The first gap after a wait begins where the copy ended that it was for.
Sign SignKeeper::FollowWaits(const Gap& gap) {
  if (!gap.drained_in.known()) return Sign::kCount;
  const auto copy = copy_ends_.find(gap.span.begin_ns);
  if (copy == copy_ends_.end()) {
    const Sign sign =
        GivesOrTakesMemory(gap.drained_in) ? Sign::kFreeIdle : Sign::kWaitIdle;
    return waits_.try_emplace(gap.drained_in, sign).first->second;
  }
  return waits_[gap.drained_in] = copy->second;
}

// What goes back to the device in as many bytes as came from it was made of
// that, and is no input.
bool SignKeeper::EndsByCopyBack(const Gap& gap) const {
  if (gap.ended_by >= process_.activities.size()) return false;
  const Activity& activity = process_.activities[gap.ended_by];
  return IsUpload(activity) && downloaded_bytes_.contains(activity.bytes);
}

// What of a gap the host is known to spend between calls, if that is long.
int64_t SignKeeper::PauseNs(const Gap& gap) {
  const int64_t ns = analyzer::Of(gap.ns, IdleCause::kFramework) +
                     analyzer::Of(gap.ns, IdleCause::kBlocked);
  return ns >= kLongPauseNs ? ns : 0;
}

// What went with launches of their own would go. Without samples nobody tells
// what the host did in a short gap, but that it launched after it.
int64_t SignKeeper::LaunchNs(const Gap& gap) {
  const int64_t unknown_ns = analyzer::Of(gap.ns, IdleCause::kUnknown);
  int64_t ns = unknown_ns < kLongPauseNs ? unknown_ns : 0;
  for (const IdleCause cause : {IdleCause::kLaunch, IdleCause::kLibrary,
                                IdleCause::kFramework, IdleCause::kLatency}) {
    ns += analyzer::Of(gap.ns, cause);
  }
  return ns;
}

void SignKeeper::AddGap(const Gap& gap) {
  Sign after = FollowWaits(gap);
  // Of windows that an earlier part of the run counted: it only tells of reads.
  if (gap.span.begin_ns < windows_.front().span.begin_ns) return;
  int64_t input_ns = analyzer::Of(gap.ns, IdleCause::kInput);
  if (after == Sign::kDownloadIdle && EndsByCopyBack(gap)) input_ns = 0;
  AddIdle(Sign::kInputIdle, gap.window, input_ns);
  AddIdle(Sign::kPreemptedIdle, gap.window,
          analyzer::Of(gap.ns, IdleCause::kPreempted));
  AddIdle(Sign::kBlockedIdle, gap.window,
          analyzer::Of(gap.ns, IdleCause::kBlocked));
  const int64_t paused_ns = PauseNs(gap);
  AddIdle(Sign::kPauseIdle, gap.window, paused_ns);
  if (paused_ns > 0) {
    Of(Sign::kPauseIdle).asleep_ns += analyzer::Of(gap.ns, IdleCause::kBlocked);
  }
  AddIdle(Sign::kLaunchIdle, gap.window, LaunchNs(gap));
  if (after == Sign::kCount) return;
  // What the host makes of results that it copied belongs to the copy, too.
  const int64_t own_ns = after == Sign::kDownloadIdle ? 0 : paused_ns;
  const int64_t others_ns =
      input_ns + analyzer::Of(gap.ns, IdleCause::kPreempted) +
      std::max(own_ns, analyzer::Of(gap.ns, IdleCause::kBlocked));
  const bool is_new = (after != Sign::kWaitIdle && after != Sign::kFreeIdle) ||
                      counted_waits_.insert(gap.drained_in).second;
  AddIdle(after, gap.window, std::min(gap.host_ns, HostNs(gap.ns) - others_ns),
          is_new);
}

StepSigns SignKeeper::Take() {
  CloseWindow();
  CloseBackward();
  return out_;
}

}  // namespace dltap::analyzer
