// SPDX-License-Identifier: Apache-2.0
// Where the tap's parts learn of each other, at load: the one file that knows
// them all, so that no part needs to.
#include "shim/tap/activity/activity_collection.h"
#include "shim/tap/activity/cupti/cupti_source.h"
#include "shim/tap/entry/device_definitions.h"
#include "shim/tap/entry/libc_variable.h"
#include "shim/tap/entry/library_versions.h"
#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/entry/real_functions.h"
#include "shim/tap/entry/tagging_connection.h"
#include "shim/tap/entry/thread_frames.h"
#include "shim/tap/runtime/call_delay.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/control_file.h"
#include "shim/tap/runtime/own_cost.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/recording_window.h"
#include "shim/tap/runtime/thread_watch.h"

namespace dltap::shim {
namespace {

ClockReader LibcClock() {
  return reinterpret_cast<ClockReader>(FindInLibc("clock_gettime"));
}

// nptl's own, which its debugger interface reads, too.
const std::atomic<uint32_t>* LibcThreadCount() {
  return static_cast<const std::atomic<uint32_t>*>(
      FindVariableInLibc("__nptl_nthreads", sizeof(uint32_t)));
}

// The order is that of the collector's calls in each pass.
[[gnu::constructor]] void ConnectParts() {
  if (IsSecondCopy()) DisableForGood();
  NoteStartupObjects();
  FindClockBy(LibcClock);
  CountThreadsBy(LibcThreadCount);
  ListenToControl();
  WatchTime();
  ScheduleDelays();
  CollectActivities(cupti::kCuptiSource, FindReal);
  WatchOwnCost();
  CollectDeviceDefinitions();
  CollectLibraryVersions();
  ConnectTagging();
  WatchPythonFrames();
}

}  // namespace
}  // namespace dltap::shim
