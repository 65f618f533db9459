// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/host_executor.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "shim/simgpu/device/clock.h"
#include "shim/simgpu/device/config.h"

namespace dltap::simgpu {
namespace {

class HostExecutor {
 public:
  uint64_t Add(int64_t ready_ns, std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    if (!started_) Start();
    const uint64_t ticket = ++last_ticket_;
    jobs_.emplace(std::pair(ready_ns, ticket), std::move(job));
    changed_.notify_all();
    return ticket;
  }

  bool Done(uint64_t ticket) const {
    return done_below_.load(std::memory_order_acquire) >= ticket;
  }

  void Wait(uint64_t ticket) {
    if (Done(ticket) || std::this_thread::get_id() == thread_id_) return;
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return Done(ticket); });
  }

 private:
  // REQUIRES: mutex_. The thread takes no signal: handlers are the program's.
  void Start() {
    started_ = true;
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    std::thread thread([this] { Run(); });
    thread_id_ = thread.get_id();
    thread.detach();
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
  }

  [[noreturn]] void Run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (jobs_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const auto first = jobs_.begin();
      const int64_t early_ns = first->first.first - SimNow();
      if (real_ && early_ns > 0) {
        changed_.wait_for(lock, std::chrono::nanoseconds(early_ns));
        continue;
      }
      const uint64_t ticket = first->first.second;
      const std::function<void()> job = std::move(first->second);
      jobs_.erase(first);
      lock.unlock();
      job();
      lock.lock();
      Finish(ticket);
    }
  }

  // REQUIRES: mutex_.
  void Finish(uint64_t ticket) {
    done_early_.insert(ticket);
    uint64_t below = done_below_.load(std::memory_order_relaxed);
    while (!done_early_.empty() && *done_early_.begin() == below + 1) {
      done_early_.erase(done_early_.begin());
      ++below;
    }
    done_below_.store(below, std::memory_order_release);
    finished_.notify_all();
  }

  const bool real_ = GetConfig().clock == ClockMode::kReal;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable finished_;
  std::map<std::pair<int64_t, uint64_t>, std::function<void()>> jobs_;
  std::set<uint64_t> done_early_;
  std::atomic<uint64_t> done_below_{0};
  uint64_t last_ticket_ = 0;
  bool started_ = false;
  std::thread::id thread_id_;
};

HostExecutor& Executor() {
  static HostExecutor* const executor = new HostExecutor;
  return *executor;
}

}  // namespace

uint64_t RunOnHost(int64_t ready_ns, std::function<void()> job) {
  return Executor().Add(ready_ns, std::move(job));
}

bool HostWorkDone(uint64_t ticket) {
  return ticket == 0 || Executor().Done(ticket);
}

void WaitForHostWork(uint64_t ticket) {
  if (ticket != 0) Executor().Wait(ticket);
}

}  // namespace dltap::simgpu
