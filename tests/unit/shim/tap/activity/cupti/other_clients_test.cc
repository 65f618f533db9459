// SPDX-License-Identifier: Apache-2.0
// What happens when a framework's profiler uses CUPTI in the same process.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "shim/tap/activity/cupti/client_hooks.h"
#include "tests/unit/shim/tap/activity/cupti/kernel_tracing_fixture.h"

namespace dltap::shim::cupti {
namespace {

constexpr auto kKernels = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
constexpr uint32_t kLaunch = 211;  // cudaLaunchKernel

// A client that behaves like PyTorch's profiler; its calls run the hooks as the
// wrappers do.
class Client {
 public:
  explicit Client(FakeCupti* cupti) : cupti_(cupti) {
    delivered() = 0;
    last_buffer() = nullptr;
  }

  void Register() {
    Register([] {});
  }
  // `meanwhile` comes while the call is in CUPTI.
  template <typename Meanwhile>
  void Register(Meanwhile meanwhile) {
    void* requested = reinterpret_cast<void*>(&Requested);
    void* completed = reinterpret_cast<void*>(&Completed);
    hooks::CuptiRegisterCallbacks::Before(requested, completed);
    meanwhile();
    cupti_->requested = &Requested;
    cupti_->completed = &Completed;
    hooks::CuptiRegisterCallbacks::After(0, requested, completed);
  }
  void Enable() {
    Enable([] {});
  }
  template <typename Meanwhile>
  void Enable(Meanwhile meanwhile) {
    hooks::CuptiEnable::Before(kKernels);
    cupti_->kinds.insert(kKernels);
    meanwhile();
    hooks::CuptiEnable::After(0, kKernels);
  }
  void Disable() {
    cupti_->kinds.erase(kKernels);
    hooks::CuptiDisable::After(0, kKernels);
  }
  void SetFunction(uint32_t id, bool on) {
    hooks::CuptiRuntimeFunction::Before(id, on);
    cupti_->SetRuntimeId(id, on);
    hooks::CuptiRuntimeFunction::After(0, id, on);
  }
  void Flush() {
    cupti_->Flush(0);
    hooks::CuptiFlushAll::After(0);
  }
  void Leave() {
    Disable();
    Flush();
  }
  // Comes, has nothing to record, and leaves.
  void Visit() {
    Register();
    Enable();
    Leave();
  }

  // Bytes of records that it received.
  static size_t& delivered() {
    static size_t bytes = 0;
    return bytes;
  }
  static uint8_t*& last_buffer() {
    static uint8_t* buffer = nullptr;
    return buffer;
  }

 private:
  static void Requested(uint8_t** buffer, size_t* size, size_t* max_records) {
    alignas(8) static uint8_t memory[4 << 20];
    *buffer = last_buffer() = memory;
    *size = sizeof(memory);
    *max_records = 0;
  }
  static void Completed(CUcontext, uint32_t, uint8_t* buffer, size_t,
                        size_t valid_bytes) {
    EXPECT_EQ(buffer, last_buffer());
    delivered() += valid_bytes;
  }

  FakeCupti* cupti_;
};

// A client's whole call.
void Subscribe() {
  hooks::CuptiSubscribe::Before(nullptr, nullptr, nullptr);
  hooks::CuptiSubscribe::After(0, nullptr, nullptr, nullptr);
}

// By cuptiSubscribe_v2.
void SubscribeScoped(int32_t status = 0) {
  hooks::CuptiSubscribe::Before(nullptr, nullptr, nullptr, nullptr);
  hooks::CuptiSubscribe::After(status, nullptr, nullptr, nullptr, nullptr);
}

class OtherClientsTest : public KernelTracingFixture {
 protected:
  size_t kernels() const { return runtime_.All<trace::KernelRecord>().size(); }
  Client client_{&cupti_};
};

TEST_F(OtherClientsTest, OurRecordsAreFetchedBeforeTheClientTakesOver) {
  Start();
  cupti_.Kernel("before", 1, 10, 20);
  client_.Register();
  client_.Enable();
  EXPECT_FALSE(IsOn());
  EXPECT_EQ(cupti_.kinds, std::set<int>{kKernels});
  cupti_.Kernel("during", 2, 30, 40);
  client_.Flush();
  Pass();
  EXPECT_EQ(kernels(), 1u);
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
}

TEST_F(OtherClientsTest, TakesBackAfterTheClientHasLeftAndFlushed) {
  Start();
  cupti_.now = 100;
  client_.Register();
  client_.Enable();
  cupti_.Kernel("during", 2, 30, 40);
  client_.Disable();
  runtime_.now_ns += 100'000'000;
  tracing_.Pass();  // it has not fetched its records yet
  EXPECT_FALSE(IsOn());
  EXPECT_EQ(runtime_.wakes, 0);
  client_.Flush();
  EXPECT_EQ(runtime_.wakes, 1);
  cupti_.now = 900;
  runtime_.now_ns += 100'000'000;
  tracing_.Pass();
  EXPECT_TRUE(IsOn());
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
  cupti_.Kernel("after", 3, 1000, 1010);
  Pass();
  EXPECT_EQ(kernels(), 1u);
  const auto gaps = runtime_.All<trace::NotObservedRecord>();
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].begin_ns, 100u);
  EXPECT_EQ(gaps[0].end_ns, 900u);
  EXPECT_EQ(gaps[0].cause,
            static_cast<uint32_t>(trace::NotObservedCause::kYielded));
  EXPECT_EQ(runtime_.losses[trace::LossKind::kActivityYielded], 1u);
}

TEST_F(OtherClientsTest, AClientThatNeverFlushesStillGetsItsRecords) {
  Start();
  client_.Register();
  client_.Enable();
  cupti_.Kernel("during", 2, 30, 40);
  client_.Disable();
  runtime_.now_ns += 3'000'000'000;
  tracing_.Pass();
  EXPECT_TRUE(IsOn());
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
  EXPECT_EQ(kernels(), 0u);
}

// The collector has seen that the client left, and lost its CPU: meanwhile the
// client comes again.
TEST_F(OtherClientsTest, AClientThatComesAgainMeanwhileIsLeftAlone) {
  Start();
  client_.Visit();
  runtime_.while_time_is_read = [&] {
    client_.Register();
    client_.Enable();
    cupti_.Kernel("again", 2, 30, 40);
  };
  tracing_.Pass();
  EXPECT_FALSE(IsOn());
  client_.Leave();
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
}

TEST_F(OtherClientsTest, AClientThatHasOnlyItsFlushToDoGetsItsRecords) {
  Start();
  client_.Visit();
  runtime_.while_time_is_read = [&] {
    client_.Register();
    client_.Enable();
    cupti_.Kernel("again", 2, 30, 40);
    client_.Disable();
  };
  tracing_.Pass();
  EXPECT_FALSE(IsOn());
  client_.Flush();
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
  Pass();
  EXPECT_TRUE(IsOn());
}

TEST_F(OtherClientsTest, AClientThatJustSwitchesOnIsLeftAlone) {
  Start();
  client_.Visit();
  client_.Enable([&] { tracing_.Pass(); });
  EXPECT_FALSE(IsOn());
  cupti_.Kernel("again", 2, 30, 40);
  client_.Leave();
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
  Pass();
  EXPECT_TRUE(IsOn());
}

TEST_F(OtherClientsTest, AClientThatJustRegistersIsLeftAlone) {
  Start();
  client_.Visit();
  client_.Register([&] { tracing_.Pass(); });
  EXPECT_FALSE(IsOn());
  Pass();
  EXPECT_TRUE(IsOn());
}

TEST_F(OtherClientsTest,
       ASessionThatBeginsWhileAClientSwitchesOnLeavesItAlone) {
  client_.Register();
  client_.Enable([&] { Start(); });
  EXPECT_FALSE(IsOn());
  cupti_.Kernel("its", 2, 30, 40);
  client_.Leave();
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
  Pass();
  EXPECT_TRUE(IsOn());
  client_.Enable();
  client_.Leave();
  client_.Enable([&] { tracing_.Pass(); });
  EXPECT_FALSE(IsOn()) << "a call that was counted before keeps its count";
}

// What a child forked inside the call gets back of it was never begun there,
// and calls of its parent's other threads never end there.
TEST_F(OtherClientsTest, AForkedChildHasNoCallsOfItsParents) {
  pid_t child = -1;
  client_.Enable([&] { child = fork(); });
  if (child == 0) {
    client_.Disable();
    hooks::CuptiEnable::Before(kKernels);  // on another thread
    if (fork() != 0) {
      int status = -1;
      wait(&status);
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
    }
    Start();
    const bool is_free = IsOn();
    client_.Visit();
    client_.Enable([&] { tracing_.Pass(); });
    _exit((is_free ? 0 : 1) + (IsOn() ? 2 : 0));
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(OtherClientsTest, SecondProfilingRunIsServedAgain) {
  Start();
  for (uint32_t run = 0; run < 3; ++run) {
    client_.Register();
    client_.Enable();
    cupti_.Kernel("during", 10 * run + 2, 30, 40);
    client_.Leave();
    Pass();
    EXPECT_TRUE(IsOn());
    cupti_.Kernel("between", 10 * run + 3, 50, 60);
    Pass();
  }
  EXPECT_EQ(kernels(), 3u);
  EXPECT_EQ(Client::delivered(), 3u * SizesOf(cupti_.version).kernel);
}

TEST_F(OtherClientsTest, AClientThatKeepsItsRegistrationGetsItBack) {
  Start();
  client_.Visit();
  Pass();
  ASSERT_TRUE(IsOn());
  client_.Enable();  // without registering again
  cupti_.Kernel("during", 2, 30, 40);
  client_.Flush();
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
}

TEST_F(OtherClientsTest, AClientThatWasFirstIsNotDisturbed) {
  client_.Register();
  client_.Enable();
  Start();
  cupti_.Kernel("its", 1, 10, 20);
  Pass();
  EXPECT_FALSE(IsOn());
  client_.Leave();
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
  Pass();
  EXPECT_TRUE(IsOn());
}

// NVIDIA's samples switch kinds on before they register callbacks.
TEST_F(OtherClientsTest, KindsThatAClientSwitchedOnBeforeItRegistersStayOn) {
  Start();
  client_.Enable();
  client_.SetFunction(kLaunch, true);
  client_.Register();
  EXPECT_TRUE(cupti_.kinds.contains(kKernels));
  EXPECT_FALSE(cupti_.kinds.contains(CUPTI_ACTIVITY_KIND_MEMSET));
  EXPECT_EQ(cupti_.runtime_on, std::set<uint32_t>{kLaunch});
  cupti_.Kernel("its", 2, 30, 40);
  client_.Flush();
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
}

TEST_F(OtherClientsTest, AWholeApiThatAClientSwitchedOnFirstStaysOn) {
  Start();
  hooks::CuptiEnable::Before(CUPTI_ACTIVITY_KIND_RUNTIME);
  cupti_.kinds.insert(CUPTI_ACTIVITY_KIND_RUNTIME);
  hooks::CuptiEnable::After(0, CUPTI_ACTIVITY_KIND_RUNTIME);
  bool excluded = false;
  cupti_.on_call = [&excluded](const std::string& function) {
    excluded |= function == "cuptiActivityEnableRuntimeApi";
  };
  client_.Register();
  EXPECT_TRUE(cupti_.kinds.contains(CUPTI_ACTIVITY_KIND_RUNTIME));
  EXPECT_FALSE(excluded) << "of what the client wants the whole of";
}

TEST_F(OtherClientsTest, AClientOfSingleApiFunctionsIsNotTakenToHaveLeft) {
  Start();
  client_.Register();
  client_.SetFunction(kLaunch, true);
  client_.SetFunction(kLaunch + 1, true);
  client_.SetFunction(kLaunch + 1, false);
  for (int i = 0; i < 10; ++i) Pass();
  EXPECT_FALSE(IsOn()) << "taken back";
  cupti_.Call(2, 30, 40, 1, kLaunch);
  client_.SetFunction(kLaunch, false);
  client_.Flush();
  EXPECT_GT(Client::delivered(), 0u);
  Pass();
  EXPECT_TRUE(IsOn());
}

// Some switch everything off to begin with.
TEST_F(OtherClientsTest, WhatAClientSwitchesOffWhileWeTraceComesOnAgain) {
  StartWithApiRecords();
  client_.Disable();
  client_.SetFunction(kLaunch, false);
  EXPECT_TRUE(cupti_.kinds.contains(kKernels));
  EXPECT_FALSE(cupti_.runtime_off.contains(kLaunch));
  EXPECT_EQ(runtime_.losses[trace::LossKind::kActivityYielded], 2u);
  hooks::CuptiDisable::After(0, CUPTI_ACTIVITY_KIND_OVERHEAD);
  EXPECT_FALSE(cupti_.kinds.contains(CUPTI_ACTIVITY_KIND_OVERHEAD));
  EXPECT_EQ(runtime_.losses[trace::LossKind::kActivityYielded], 2u);
}

// CUPTI may keep an empty buffer when it is flushed.
TEST_F(OtherClientsTest, RecordsInABufferOfTheOtherReachTheirOwner) {
  Start();
  cupti_.HoldBuffer();  // one of ours
  client_.Register();
  client_.Enable();
  // It may hold the lock that its callback takes.
  EXPECT_EQ(Client::last_buffer(), nullptr) << "asked on its own thread";
  EXPECT_GT(runtime_.wakes, 0);
  tracing_.Pass();
  EXPECT_NE(Client::last_buffer(), nullptr) << "never asked for a buffer";
  cupti_.Kernel("its", 2, 30, 40);
  client_.Leave();
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
  cupti_.HoldBuffer();  // one of the client's
  Pass();
  cupti_.Kernel("ours", 3, 50, 60);
  Pass();
  EXPECT_EQ(kernels(), 1u);
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
}

TEST_F(OtherClientsTest, AClientDoesNotWaitForeverForTheCollector) {
  Start();
  runtime_.recording = false;
  // The collector is in a flush that has not come back when the client comes.
  cupti_.on_flush = [&] {
    cupti_.on_flush = nullptr;
    client_.Register();
  };
  tracing_.Pass();
  EXPECT_EQ(runtime_.losses[trace::LossKind::kFlushDeadline], 1u);
}

TEST_F(OtherClientsTest, ALargeBufferOfTheClientsIsReadToItsEnd) {
  Start();
  client_.Visit();
  cupti_.HoldBuffer();  // one of the client's
  Pass();
  ASSERT_EQ(tracing_.clients().owner(), OtherClients::Owner::kOurs);
  const int count =
      static_cast<int>(2 * BufferPool::kBufferBytes / SizesOf(130001).kernel);
  for (int i = 1; i <= count; ++i) {
    const auto ns = static_cast<uint64_t>(i);
    cupti_.Kernel("ours", i, 50 * ns, 60 * ns);
  }
  Pass();
  EXPECT_EQ(kernels(), static_cast<size_t>(count));
}

TEST_F(OtherClientsTest, AClientThatComesAfterTheEndGetsItsOwnOnly) {
  Start();
  cupti_.HoldBuffer();  // one of ours
  runtime_.recording = false;
  tracing_.Stop();
  EXPECT_TRUE(cupti_.kinds.empty());
  client_.Register();
  client_.Enable();
  cupti_.Kernel("its", 2, 30, 40);
  client_.Leave();
  EXPECT_EQ(Client::delivered(), SizesOf(cupti_.version).kernel);
  EXPECT_EQ(kernels(), 0u);
}

TEST_F(OtherClientsTest, StillYieldedAtTheEndIsNotObserved) {
  Start();
  cupti_.now = 100;
  client_.Register();
  client_.Enable();
  cupti_.now = 500;
  tracing_.Finish([] { return true; });
  const auto gaps = runtime_.All<trace::NotObservedRecord>();
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].end_ns, 500u);
}

// The end comes before a pass of the collector.
TEST_F(OtherClientsTest, RecordsOfJustBeforeTheClientCameAreThereAtTheEnd) {
  Start();
  cupti_.Kernel("before", 1, 10, 20);
  client_.Register();
  client_.Enable();
  tracing_.Finish([] { return true; });
  EXPECT_EQ(kernels(), 1u);
}

// Its activity functions exclude those that we call.
TEST_F(OtherClientsTest, AScopedSubscriberHasAllOfCuptiUntilItHasLeft) {
  cupti_.version = 130300;
  Start();
  ASSERT_TRUE(IsOn());
  hooks::CuptiSubscribe::Before(nullptr, nullptr, nullptr, nullptr);
  EXPECT_TRUE(cupti_.kinds.empty());
  EXPECT_FALSE(cupti_.subscribed);
  hooks::CuptiSubscribe::After(0, nullptr, nullptr, nullptr, nullptr);
  SubscribeScoped();
  hooks::CuptiUnsubscribe::After(0, nullptr);
  for (int i = 0; i < 10; ++i) Pass();
  EXPECT_FALSE(IsOn());  // one is still there
  hooks::CuptiUnsubscribe::After(0, nullptr);
  for (int i = 0; i < 10; ++i) Pass();
  EXPECT_TRUE(IsOn());
  EXPECT_EQ(runtime_.losses[trace::LossKind::kActivityYielded], 1u);
}

TEST_F(OtherClientsTest, AScopedSubscriberThatWasFirstIsNotDisturbed) {
  cupti_.version = 130300;
  SubscribeScoped();
  cupti_.busy_subscriber = true;
  Start();
  Pass();
  EXPECT_FALSE(IsOn());
  EXPECT_EQ(runtime_.losses[trace::LossKind::kActivityYielded], 1u);
}

TEST_F(OtherClientsTest, AfterAScopedSubscriberWasRefusedAllIsTakenBack) {
  cupti_.version = 130300;
  Start();
  SubscribeScoped(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  for (int i = 0; i < 10; ++i) Pass();
  EXPECT_TRUE(IsOn());
}

TEST_F(OtherClientsTest, BeforeScopedActivityOnlyThePlaceIsLeft) {
  Start();
  SubscribeScoped();
  EXPECT_TRUE(IsOn());
  EXPECT_FALSE(cupti_.subscribed);
}

TEST_F(OtherClientsTest, ThreadIdsAreAsTheClientLeftThem) {
  Start();
  EXPECT_EQ(cupti_.thread_id_type, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  client_.Register();
  EXPECT_EQ(cupti_.thread_id_type, CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT);
}

TEST_F(OtherClientsTest, SubscriberGivesUpItsPlace) {
  Start();
  tracing_.CaptureBegins();
  Subscribe();
  EXPECT_FALSE(cupti_.subscribed);
  cupti_.busy_subscriber = true;
  tracing_.CaptureBegins();
  EXPECT_EQ(runtime_.losses[trace::LossKind::kGraphNodeUnknown], 1u);
  cupti_.busy_subscriber = false;
  hooks::CuptiUnsubscribe::After(0, nullptr);
  tracing_.CaptureBegins();
  EXPECT_TRUE(cupti_.subscribed);
}

TEST_F(OtherClientsTest, AfterAClientThatWasRefusedThePlaceIsTakenAgain) {
  Start();
  hooks::CuptiSubscribe::Before(nullptr, nullptr, nullptr);
  EXPECT_FALSE(cupti_.subscribed);
  hooks::CuptiSubscribe::After(CUPTI_ERROR_INVALID_PARAMETER, nullptr, nullptr,
                               nullptr);
  Pass();
  EXPECT_TRUE(cupti_.subscribed);
  EXPECT_EQ(cupti_.kinds.count(CUPTI_ACTIVITY_KIND_RUNTIME), 0u);
  cupti_.Call(8, 30, 40, 1001);
  EXPECT_EQ(runtime_.launches, std::vector<uint64_t>{8});
}

TEST_F(OtherClientsTest, APlaceThatACaptureTookTellsOfLaunchesAgain) {
  Start();
  Subscribe();
  hooks::CuptiUnsubscribe::After(0, nullptr);
  tracing_.CaptureBegins();
  Pass();
  cupti_.Call(8, 30, 40, 1001);
  EXPECT_EQ(runtime_.launches, std::vector<uint64_t>{8});
}

// Its own call would find the place taken.
TEST_F(OtherClientsTest, AClientThatSubscribesWhileWeDoGetsThePlace) {
  runtime_.recording = false;
  Start();
  std::thread client;
  std::atomic<bool> begins = false;
  cupti_.on_call = [&](const std::string& function) {
    if (function != "cuptiEnableCallback" || client.joinable()) return;
    client = std::thread([&begins] {
      begins = true;
      hooks::CuptiSubscribe::Before(nullptr, nullptr, nullptr);
    });
    for (int i = 0; i < 1000 || !begins; ++i) std::this_thread::yield();
  };
  tracing_.CaptureBegins();
  ASSERT_TRUE(client.joinable());
  client.join();
  EXPECT_FALSE(cupti_.subscribed);
}

// One that has left the place, or comes before a session begins, and is still
// on its way to CUPTI.
TEST_F(OtherClientsTest, ThePlaceIsNotTakenWhileAClientIsOnItsWay) {
  hooks::CuptiSubscribe::Before(nullptr, nullptr, nullptr);
  Start();
  EXPECT_FALSE(cupti_.subscribed);
  EXPECT_TRUE(IsOn());
  hooks::CuptiSubscribe::After(0, nullptr, nullptr, nullptr);
  cupti_.busy_subscriber = true;
  Pass();
  cupti_.busy_subscriber = false;
  hooks::CuptiUnsubscribe::After(0, nullptr);
  hooks::CuptiSubscribe::Before(nullptr, nullptr, nullptr);
  Pass();
  tracing_.CaptureBegins();
  EXPECT_FALSE(cupti_.subscribed);
  hooks::CuptiSubscribe::After(CUPTI_ERROR_INVALID_PARAMETER, nullptr, nullptr,
                               nullptr);
  Pass();
  EXPECT_TRUE(cupti_.subscribed);
}

TEST_F(OtherClientsTest, LaunchesAreTakenFromApiRecordsWhileAClientSubscribes) {
  Start();
  EXPECT_EQ(cupti_.kinds.count(CUPTI_ACTIVITY_KIND_RUNTIME), 0u);
  Subscribe();
  cupti_.busy_subscriber = true;
  EXPECT_EQ(runtime_.wakes, 1);
  tracing_.Pass();
  EXPECT_EQ(cupti_.kinds.count(CUPTI_ACTIVITY_KIND_RUNTIME), 1u);
  EXPECT_TRUE(runtime_.pushing);
  cupti_.Call(7, 10, 20, 1001);
  Pass();
  EXPECT_EQ(runtime_.All<trace::LaunchApiRecord>().size(), 1u);
  EXPECT_TRUE(runtime_.launches.empty());
  cupti_.busy_subscriber = false;
  hooks::CuptiUnsubscribe::After(0, nullptr);
  tracing_.Pass();
  EXPECT_EQ(cupti_.kinds.count(CUPTI_ACTIVITY_KIND_RUNTIME), 0u);
  EXPECT_FALSE(runtime_.pushing);
  cupti_.Call(8, 30, 40, 1001);
  EXPECT_EQ(runtime_.launches, std::vector<uint64_t>{8});
}

TEST_F(OtherClientsTest, AClientWithoutASubscriberIsNotToldOfOurLaunches) {
  Start();
  client_.Register();
  client_.Enable();
  cupti_.Call(7, 10, 20, 1001);
  EXPECT_TRUE(runtime_.launches.empty());
  client_.Leave();
  Pass();
  cupti_.Call(8, 30, 40, 1001);
  EXPECT_EQ(runtime_.launches, std::vector<uint64_t>{8});
}

TEST_F(OtherClientsTest, FinalizeByAClientIsSurvived) {
  Start();
  cupti_.Kernel("k", 1, 10, 20);
  hooks::CuptiFinalize::Before();
  cupti_.kinds.clear();
  cupti_.requested = nullptr;
  Pass();
  EXPECT_EQ(kernels(), 1u);
  cupti_.Kernel("again", 2, 30, 40);
  Pass();
  EXPECT_EQ(kernels(), 2u);
}

// ---- Clocks ----------------------------------------------------------------

FakeCupti* g_clock_source = nullptr;
// Three ticks a nanosecond, from another origin: a cycle counter.
uint64_t CycleCallback() { return 3 * g_clock_source->now + 5'000'000; }

TEST_F(OtherClientsTest, TimesOfAForeignClockAreMappedBack) {
  g_clock_source = &cupti_;
  Start();
  void* callback = reinterpret_cast<void*>(&CycleCallback);
  hooks::CuptiTimestampCallback::Before(callback);
  cupti_.timestamp_callback = &CycleCallback;
  hooks::CuptiTimestampCallback::After(0, callback);
  client_.Register();
  client_.Enable();
  Pass();
  Pass();
  client_.Leave();
  Pass();
  ASSERT_TRUE(IsOn());
  const uint64_t start = cupti_.now + 1'000;
  cupti_.Kernel("after", 3, 3 * start + 5'000'000,
                3 * (start + 250) + 5'000'000);
  Pass();
  const auto kernels = runtime_.All<trace::KernelRecord>();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_NEAR(static_cast<double>(kernels[0].start_ns),
              static_cast<double>(start), 2.0);
  EXPECT_NEAR(kernels[0].duration_ns, 250.0, 2.0);
}

TEST_F(OtherClientsTest, RecordsFromBeforeTheCallbackKeepTheirTimes) {
  g_clock_source = &cupti_;
  cupti_.now = 1'000'000'000'000;
  Start();
  const uint64_t start = cupti_.now - 500;
  cupti_.Kernel("before", 1, start, start + 100);
  void* callback = reinterpret_cast<void*>(&CycleCallback);
  hooks::CuptiTimestampCallback::Before(callback);  // fetches them
  cupti_.timestamp_callback = &CycleCallback;
  hooks::CuptiTimestampCallback::After(0, callback);
  Pass();  // reads them
  const auto kernels = runtime_.All<trace::KernelRecord>();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].start_ns, start);
  EXPECT_EQ(kernels[0].duration_ns, 100u);
}

TEST_F(OtherClientsTest, TimestampGoesOnWhenCuptisFollowsTheCallback) {
  g_clock_source = &cupti_;
  cupti_.timestamp_follows_callback = true;
  cupti_.now = 50'000'000'000;
  Start();
  void* callback = reinterpret_cast<void*>(&CycleCallback);
  hooks::CuptiTimestampCallback::Before(callback);
  cupti_.timestamp_callback = &CycleCallback;
  hooks::CuptiTimestampCallback::After(0, callback);
  runtime_.now_ns += 1'000;
  uint64_t now = 0;
  ASSERT_TRUE(tracing_.Timestamp(&now));
  EXPECT_EQ(now, 50'000'001'000u);
}

}  // namespace
}  // namespace dltap::shim::cupti
