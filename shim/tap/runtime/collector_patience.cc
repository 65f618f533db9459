// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/collector_patience.h"

#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/run_state.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr uint64_t kIdleNs = kNsPerSecond / 10;
constexpr uint64_t kMostCpuNs = kNsPerSecond;
constexpr uint64_t kMostAtTheEndNs = 10 * kNsPerSecond;

RunState LookAtCollector() {
  return ReadRunState(g_process.collector_tid.load());
}

}  // namespace

uint64_t CollectorPatience::CollectorCpuNs() {
  return ThreadCpuNs(g_process.collector_tid.load());
}

CollectorPatience CollectorPatience::OfTheEnd(uint64_t usual_ns) {
  const uint64_t waited_ns = g_process.end_wait_ns.load();
  const bool has_more = waited_ns + usual_ns < kMostAtTheEndNs;
  CollectorPatience patience(has_more ? kMostAtTheEndNs - waited_ns : usual_ns);
  patience.usual_ns_ = usual_ns;
  return patience;
}

bool CollectorPatience::IsOver() {
  const uint64_t now_ns = MonotonicNs();
  if (now_ns >= give_up_ns_) return true;
  const uint64_t cpu_ns = CollectorCpuNs();
  if (cpu_ns != cpu_ns_) {
    cpu_ns_ = cpu_ns;
    ran_ns_ = moved_ns_ = now_ns;
  }
  return is_of_the_end() ? HasHadItsTime(now_ns) : IsBlocked(now_ns);
}

bool CollectorPatience::IsBlocked(uint64_t now_ns) {
  if (g_process.in_foreign_code.load() == 0) moved_ns_ = now_ns;
  if (now_ns - moved_ns_ < kIdleNs) return false;
  const RunState state = LookAtCollector();
  if (!state.is_ready && !state.waits_for_disk) return true;
  moved_ns_ = now_ns;
  return false;
}

// The kernel adds a wait for a CPU to the run delay when it is over.
bool CollectorPatience::HasHadItsTime(uint64_t now_ns) {
  const uint64_t waited_ns = now_ns - begin_ns_;
  if (waited_ns < (looked_ns_ == 0 ? usual_ns_ / 2 : usual_ns_)) return false;
  const RunState state = LookAtCollector();
  if (looked_ns_ == 0) {
    looked_ns_ = now_ns;
    first_delay_ns_ = state.run_delay_ns;
  }
  if (state.waits_for_disk) {
    disk_ns_ += now_ns - (looked_ns_ > ran_ns_ ? looked_ns_ : ran_ns_);
  }
  looked_ns_ = now_ns;
  if (cpu_ns_ - first_cpu_ns_ >= kMostCpuNs) return waited_ns >= usual_ns_;
  uint64_t starved_ns = disk_ns_;
  if (state.is_ready) starved_ns += now_ns - ran_ns_;
  if (state.run_delay_ns > first_delay_ns_) {
    starved_ns += state.run_delay_ns - first_delay_ns_;
  }
  return waited_ns >= usual_ns_ + starved_ns;
}

}  // namespace dltap::shim
