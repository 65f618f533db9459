// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/host_executor.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "simgpu/base/blocked_signals.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/config.h"

namespace dltap::simgpu {
namespace {

// Between two rounds of polls: short at first, long while nothing happens.
constexpr std::chrono::microseconds kShortPause{20};
constexpr std::chrono::microseconds kLongPause{500};
constexpr int kShortPauses = 500;

struct Job {
  int64_t ready_ns = 0;
  std::function<bool()> run;  // false: not yet; null: nothing to do
  bool polls = false;
  int open_dependencies = 0;
  std::vector<uint64_t> dependents;
};

class HostExecutor {
 public:
  uint64_t Add(Job job, std::array<uint64_t, 2> after) {
    const std::lock_guard lock(mutex_);
    const uint64_t ticket = ++last_ticket_;
    for (const uint64_t before : after) {
      const auto found = jobs_.find(before);
      if (found == jobs_.end()) continue;
      found->second.dependents.push_back(ticket);
      ++job.open_dependencies;
    }
    const bool is_free = job.open_dependencies == 0;
    jobs_.emplace(ticket, std::move(job));
    lowest_open_.store(jobs_.begin()->first, std::memory_order_release);
    if (is_free) Queue(ticket);
    return ticket;
  }

  // Jobs below the lowest open ticket are over; above it a look is needed.
  bool Done(uint64_t ticket) {
    if (ticket < lowest_open_.load(std::memory_order_acquire)) return true;
    const std::lock_guard lock(mutex_);
    return !jobs_.contains(ticket);
  }

  void Wait(uint64_t ticket) {
    if (Done(ticket) || std::this_thread::get_id() == thread_id_) return;
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return !jobs_.contains(ticket); });
  }

  bool Wait(uint64_t ticket, std::chrono::milliseconds limit) {
    if (Done(ticket) || std::this_thread::get_id() == thread_id_) return true;
    std::unique_lock lock(mutex_);
    return finished_.wait_for(lock, limit,
                              [&] { return !jobs_.contains(ticket); });
  }

 private:
  // REQUIRES: mutex_. Everything that the job follows is over.
  void Queue(uint64_t ticket) {
    const Job& job = jobs_.at(ticket);
    if (job.run == nullptr) return Finish(ticket);
    if (job.polls) {
      polls_.insert(ticket);
      idle_rounds_ = 0;
    } else {
      queue_.emplace(job.ready_ns, ticket);
    }
    if (!started_) Start();
    changed_.notify_all();
  }

  // REQUIRES: mutex_.
  void Start() {
    started_ = true;
    const BlockedSignals blocked;
    std::thread thread([this] { Run(); });
    thread_id_ = thread.get_id();
    thread.detach();
  }

  [[noreturn]] void Run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (RunFirst(lock) || PollAll(lock)) continue;
      Rest(lock);
    }
  }

  // REQUIRES: mutex_, which a job runs without. False: none is due.
  bool RunFirst(std::unique_lock<std::mutex>& lock) {
    if (queue_.empty() || EarlyNs() > 0) return false;
    const uint64_t ticket = queue_.begin()->second;
    queue_.erase(queue_.begin());
    Call(ticket, lock);
    Finish(ticket);
    return true;
  }

  // Likewise. False: no poll has come to its end.
  bool PollAll(std::unique_lock<std::mutex>& lock) {
    bool any = false;
    const std::vector<uint64_t> tickets(polls_.begin(), polls_.end());
    for (const uint64_t ticket : tickets) {
      if (!Call(ticket, lock)) continue;
      polls_.erase(ticket);
      Finish(ticket);
      any = true;
    }
    idle_rounds_ = any ? 0 : idle_rounds_ + 1;
    return any;
  }

  bool Call(uint64_t ticket, std::unique_lock<std::mutex>& lock) {
    // Nodes of the map stay where they are, and only this thread removes them.
    const std::function<bool()>& run = jobs_.at(ticket).run;
    lock.unlock();
    const bool is_over = run();
    lock.lock();
    return is_over;
  }

  // Until something changes or may have become due.
  void Rest(std::unique_lock<std::mutex>& lock) {
    std::chrono::nanoseconds rest = std::chrono::nanoseconds::max();
    if (!queue_.empty()) rest = std::chrono::nanoseconds(EarlyNs());
    if (!polls_.empty()) {
      const auto pause = idle_rounds_ < kShortPauses ? kShortPause : kLongPause;
      rest = std::min<std::chrono::nanoseconds>(rest, pause);
    }
    if (rest == std::chrono::nanoseconds::max()) {
      changed_.wait(lock);
    } else if (rest.count() > 0) {
      changed_.wait_for(lock, rest);
    }
  }

  // How long before the first job's time it is; 0 where time is not waited for.
  int64_t EarlyNs() const {
    return real_ ? std::max<int64_t>(0, queue_.begin()->first - SimNow()) : 0;
  }

  // REQUIRES: mutex_.
  void Finish(uint64_t ticket) {
    const auto job = jobs_.extract(ticket);
    const uint64_t lowest =
        jobs_.empty() ? last_ticket_ + 1 : jobs_.begin()->first;
    lowest_open_.store(lowest, std::memory_order_release);
    for (const uint64_t dependent : job.mapped().dependents) {
      if (--jobs_.at(dependent).open_dependencies == 0) Queue(dependent);
    }
    finished_.notify_all();
  }

  const bool real_ = GetConfig().clock == ClockMode::kReal;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable finished_;
  std::map<uint64_t, Job> jobs_;  // all that are not over, by ticket
  std::set<std::pair<int64_t, uint64_t>> queue_;  // free to run when it is time
  std::set<uint64_t> polls_;                      // free to be asked
  int idle_rounds_ = 0;
  std::atomic<uint64_t> lowest_open_{1};
  uint64_t last_ticket_ = 0;
  bool started_ = false;
  std::thread::id thread_id_;
};

HostExecutor& Executor() {
  static HostExecutor* const executor = new HostExecutor;
  return *executor;
}

}  // namespace

uint64_t RunOnHost(int64_t ready_ns, std::function<void()> job,
                   uint64_t after) {
  Job made;
  made.ready_ns = ready_ns;
  made.run = [job = std::move(job)] {
    job();
    return true;
  };
  return Executor().Add(std::move(made), {after, 0});
}

uint64_t PollOnHost(std::function<bool()> poll, uint64_t after) {
  Job made;
  made.run = std::move(poll);
  made.polls = true;
  return Executor().Add(std::move(made), {after, 0});
}

uint64_t JoinHostWork(uint64_t first, uint64_t second) {
  if (first == second || HostWorkDone(second)) return first;
  if (HostWorkDone(first)) return second;
  return Executor().Add({}, {first, second});
}

void FollowHostWork(std::atomic<uint64_t>& ticket, uint64_t other) {
  if (other == 0) return;
  uint64_t seen = ticket.load(std::memory_order_relaxed);
  while (!ticket.compare_exchange_weak(seen, JoinHostWork(seen, other),
                                       std::memory_order_relaxed)) {
  }
}

bool HostWorkDone(uint64_t ticket) {
  return ticket == 0 || Executor().Done(ticket);
}

void WaitForHostWork(uint64_t ticket) {
  if (ticket != 0) Executor().Wait(ticket);
}

bool WaitForHostWork(uint64_t ticket, std::chrono::milliseconds limit) {
  return ticket == 0 || Executor().Wait(ticket, limit);
}

}  // namespace dltap::simgpu
