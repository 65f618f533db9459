// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/cpu_passes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

// Samples this close belong to one pass over the threads; those of one thread
// never do.
constexpr int64_t kSamePassNs = 10'000'000;
constexpr size_t kMostRooms = 64;  // samples that one wait for a CPU goes over

// Calls are sorted by thread, then by begin.
bool MakesCalls(const Process& process, ThreadId thread, Interval span) {
  const auto begins = [](const Call& c) {
    return std::pair(c.thread, c.begin_ns);
  };
  const auto call = std::ranges::lower_bound(
      process.calls, std::pair(thread, span.begin_ns), {}, begins);
  return call != process.calls.end() &&
         begins(*call) < std::pair(thread, span.end_ns);
}

class Gathering {
 public:
  Gathering(const Process& process, const std::vector<ThreadId>& threads)
      : process_(process), threads_(threads) {}

  std::vector<CpuPass> Gather();

 private:
  // Up to a pass, since the one before it: when a thread was not awake by what
  // is counted so far.
  struct Room {
    size_t pass = 0;
    int64_t ns = 0;
  };
  // A thread's sample before, and the pass it is of.
  struct Last {
    int64_t at_ns = 0;
    int64_t cpu_time_ns = 0;
    std::optional<int64_t> run_delay_ns;
    bool runnable = false;
    size_t pass = 0;
    std::vector<Room> rooms;  // since a sample last found it asleep
  };

  void AddSample(const CpuSample& sample, Last& before);
  void Spread(ThreadId thread, size_t before, int64_t cpu_ns, int64_t delay_ns);

  const Process& process_;
  const std::vector<ThreadId>& threads_;
  std::vector<CpuPass> passes_;
};

std::vector<CpuPass> Gathering::Gather() {
  absl::flat_hash_map<size_t, Last> last;  // by thread
  for (const CpuSample& sample : process_.cpu_samples) {
    if (std::find(threads_.begin(), threads_.end(), sample.thread) ==
        threads_.end()) {
      continue;
    }
    const auto [it, is_new] = last.try_emplace(
        sample.thread.value(), Last{.at_ns = sample.at_ns,
                                    .cpu_time_ns = sample.cpu_time_ns,
                                    .run_delay_ns = sample.run_delay_ns,
                                    .rooms = {}});
    Last& before = it->second;
    const bool again = !is_new && before.pass + 1 == passes_.size();
    if (passes_.empty() || again ||
        sample.at_ns - passes_.back().at_ns > kSamePassNs) {
      passes_.push_back({.at_ns = sample.at_ns, .has_run_delay = true});
    }
    AddSample(sample, before);
  }
  return std::move(passes_);
}

// The kernel counts a wait for a CPU when it ends. What a thread that was
// runnable at a sample then has waited more than there was time since, it had
// waited before. Whether a thread has ended, its id was given to another one,
// or the trace is damaged: no counter runs backwards.
void Gathering::AddSample(const CpuSample& sample, Last& before) {
  const int64_t span_ns = sample.at_ns - before.at_ns;
  const bool knows_delay = sample.run_delay_ns && before.run_delay_ns;
  const int64_t cpu_ns =
      std::max<int64_t>(0, sample.cpu_time_ns - before.cpu_time_ns);
  int64_t delay_ns =
      knows_delay
          ? std::max<int64_t>(0, *sample.run_delay_ns - *before.run_delay_ns)
          : 0;
  int64_t early_ns =
      std::clamp<int64_t>(cpu_ns + delay_ns - span_ns, 0, delay_ns);
  if (!before.runnable) before.rooms.clear();
  for (auto room = before.rooms.rbegin(); room != before.rooms.rend(); ++room) {
    const int64_t part_ns = std::min(early_ns, room->ns);
    passes_[room->pass].run_delay_ns += part_ns;
    room->ns -= part_ns;
    early_ns -= part_ns;
    delay_ns -= part_ns;
  }
  Spread(sample.thread, before.pass, cpu_ns, delay_ns);
  passes_.back().has_run_delay &= knows_delay;
  passes_.back().runnable |= sample.on_cpu;
  before.at_ns = sample.at_ns;
  before.cpu_time_ns = sample.cpu_time_ns;
  if (sample.run_delay_ns) before.run_delay_ns = sample.run_delay_ns;
  before.runnable = sample.on_cpu;
  before.pass = passes_.size() - 1;
  if (before.rooms.size() == kMostRooms) before.rooms.clear();
  before.rooms.push_back(
      {before.pass, std::max<int64_t>(0, span_ns - cpu_ns - delay_ns)});
}

// A thread is not looked at in each pass: not while it makes no calls, nor
// where many are at work. What it has run since goes to the passes in which it
// made calls, by their length, or to all where it made none.
void Gathering::Spread(ThreadId thread, size_t before, int64_t cpu_ns,
                       int64_t delay_ns) {
  const size_t last = passes_.size() - 1;
  std::vector<size_t> at;
  for (size_t pass = before + 1; before < last && pass <= last; ++pass) {
    if (MakesCalls(process_, thread,
                   {passes_[pass - 1].at_ns, passes_[pass].at_ns})) {
      at.push_back(pass);
    }
  }
  if (at.empty()) {
    for (size_t pass = before + 1; pass < last; ++pass) at.push_back(pass);
    at.push_back(last);
  }
  const auto length = [this](size_t pass) {
    return pass == 0 ? 0 : passes_[pass].at_ns - passes_[pass - 1].at_ns;
  };
  int64_t left_ns = 0;
  for (const size_t pass : at) left_ns += length(pass);
  for (const size_t pass : at) {
    const double share =
        Ratio(static_cast<double>(length(pass)), static_cast<double>(left_ns))
            .value_or(1);
    const auto part = [share](int64_t& ns) {
      const int64_t taken = std::llround(share * static_cast<double>(ns));
      ns -= taken;
      return taken;
    };
    passes_[pass].cpu_ns += part(cpu_ns);
    passes_[pass].run_delay_ns += part(delay_ns);
    left_ns -= length(pass);
  }
}

}  // namespace

std::vector<CpuPass> CpuPassesOf(const Process& process,
                                 const std::vector<ThreadId>& threads) {
  return Gathering(process, threads).Gather();
}

void JoinWherePreempted(std::vector<CpuPass>& passes) {
  constexpr int64_t kLongNs = 90'000'000;
  constexpr int64_t kLittleDelay = 10;  // one part in so many
  size_t kept = 0;
  CpuPass sum{.has_run_delay = true};
  for (size_t i = 1; i < passes.size(); ++i) {
    sum.cpu_ns += passes[i].cpu_ns;
    sum.run_delay_ns += passes[i].run_delay_ns;
    sum.has_run_delay &= passes[i].has_run_delay;
    const int64_t span_ns = passes[i].at_ns - passes[kept].at_ns;
    if (span_ns < kLongNs && sum.run_delay_ns * kLittleDelay > span_ns &&
        i + 1 < passes.size()) {
      continue;
    }
    passes[++kept] = {.at_ns = passes[i].at_ns,
                      .cpu_ns = sum.cpu_ns,
                      .run_delay_ns = sum.run_delay_ns,
                      .has_run_delay = sum.has_run_delay,
                      .runnable = passes[i].runnable};
    sum = {.has_run_delay = true};
  }
  if (!passes.empty()) passes.resize(kept + 1);
}

}  // namespace dltap::analyzer
