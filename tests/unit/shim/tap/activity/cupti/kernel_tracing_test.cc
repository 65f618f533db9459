// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/kernel_tracing.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/shim/tap/activity/cupti/kernel_tracing_fixture.h"

namespace dltap::shim::cupti {
namespace {

using trace::LossKind;

class KernelTracingTest : public KernelTracingFixture {};

TEST_F(KernelTracingTest, WritesKernelsWithTheirLaunches) {
  StartWithApiRecords();
  EXPECT_EQ(runtime_.level, trace::Level::kKernels);
  EXPECT_TRUE(runtime_.pushing);
  cupti_.Call(5, 100, 200, 1003);
  cupti_.Kernel("_Z3addPf", 5, 300, 450);
  Pass();
  const auto kernels = runtime_.All<trace::KernelRecord>();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].start_ns, 300u);
  EXPECT_EQ(kernels[0].duration_ns, 150u);
  EXPECT_EQ(kernels[0].correlation, 5u);
  const auto variants = runtime_.All<trace::KernelVariantRecord>();
  ASSERT_EQ(variants.size(), 1u);
  EXPECT_EQ(variants[0].id, kernels[0].variant);
  EXPECT_EQ(runtime_.texts[variants[0].text - 1], "_Z3addPf");
  EXPECT_EQ(variants[0].grid[1], 4u);
  EXPECT_EQ(variants[0].block[0], 128u);
  EXPECT_EQ(variants[0].registers_per_thread, 40u);
  EXPECT_EQ(variants[0].dynamic_shared_bytes, 1024u);
  const auto streams = runtime_.All<trace::StreamRecord>();
  ASSERT_EQ(streams.size(), 1u);
  EXPECT_EQ(streams[0].id, kernels[0].stream);
  EXPECT_EQ(streams[0].device, 1u);
  EXPECT_EQ(streams[0].stream, 7u);
  const auto calls = runtime_.All<trace::LaunchApiRecord>();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].correlation, 5u);
  EXPECT_EQ(calls[0].thread, 3u);
  EXPECT_EQ(calls[0].external, 0u);
}

TEST_F(KernelTracingTest, DefinesEachVariantAndStreamOnce) {
  Start();
  for (uint32_t i = 1; i <= 3; ++i) cupti_.Kernel("k", i, 10 * i, 10 * i + 5);
  cupti_.Kernel("other", 4, 100, 110);
  Pass();
  EXPECT_EQ(runtime_.All<trace::KernelRecord>().size(), 4u);
  EXPECT_EQ(runtime_.All<trace::KernelVariantRecord>().size(), 2u);
  EXPECT_EQ(runtime_.All<trace::StreamRecord>().size(), 1u);
  EXPECT_EQ(runtime_.texts.size(), 2u);
}

// The vendor sets no limit to names.
TEST_F(KernelTracingTest, ANameThatIsTooLongIsCutAndCountedOnce) {
  Start();
  const std::string name(200'000, 'k');
  for (uint32_t i = 1; i <= 3; ++i) {
    cupti_.Kernel(name.c_str(), i, 10 * i, 10 * i + 5);
  }
  Pass();
  EXPECT_EQ(runtime_.All<trace::KernelVariantRecord>().size(), 1u);
  ASSERT_EQ(runtime_.texts.size(), 1u);
  EXPECT_EQ(runtime_.texts[0], name.substr(0, 16 << 10));
  EXPECT_EQ(runtime_.losses[trace::LossKind::kTextTruncated], 1u);
}

TEST_F(KernelTracingTest, ForgottenDefinitionsAreWrittenAgainUnderNewIds) {
  Start();
  cupti_.Kernel("k", 1, 10, 15);
  Pass();
  tracing_.Forget();
  cupti_.Kernel("k", 2, 20, 25);
  Pass();
  const auto variants = runtime_.All<trace::KernelVariantRecord>();
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_NE(variants[0].id, variants[1].id);
  EXPECT_EQ(runtime_.All<trace::KernelRecord>()[1].variant, variants[1].id);
  EXPECT_EQ(runtime_.All<trace::StreamRecord>().size(), 2u);
}

TEST_F(KernelTracingTest, LaunchesAreToldOfByCallbacksWithoutApiRecords) {
  Start();
  EXPECT_FALSE(runtime_.pushing);
  EXPECT_EQ(cupti_.kinds.count(CUPTI_ACTIVITY_KIND_RUNTIME), 0u);
  EXPECT_EQ(cupti_.kinds.count(CUPTI_ACTIVITY_KIND_DRIVER), 0u);
  cupti_.Call(5, 100, 200, 1003);
  cupti_.Call(6, 100, 200, 1003, /*cbid=*/17);  // not a launch
  EXPECT_EQ(runtime_.launches, std::vector<uint64_t>{5});
}

TEST_F(KernelTracingTest, IdsOfCallbacksAreWidenedLikeThoseOfKernels) {
  Start();
  const uint32_t ids[] = {0x7000'0000, 0xE000'0000, 0x0000'0010};
  for (const uint32_t id : ids) {
    cupti_.Call(id, 10, 20, 1001);
    cupti_.Kernel("k", id, 10, 20);
    Pass();
  }
  ASSERT_EQ(runtime_.launches.size(), 3u);
  const auto kernels = runtime_.All<trace::KernelRecord>();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(runtime_.launches[i], kernels[i].correlation);
  }
  EXPECT_EQ(runtime_.launches[2], 0x1'0000'0010u);
}

TEST_F(KernelTracingTest, CallbacksThatDoNotComeAreReplacedByApiRecords) {
  cupti_.is_mute = true;
  Start();
  for (uint32_t i = 1; i < 100; ++i) cupti_.Kernel("k", i, 10, 20);
  Pass();
  EXPECT_EQ(cupti_.kinds.count(CUPTI_ACTIVITY_KIND_RUNTIME), 1u);
  EXPECT_TRUE(runtime_.pushing);
  Pass();
  EXPECT_TRUE(runtime_.pushing) << "tried again";
}

TEST_F(KernelTracingTest, LaunchesInsideALibraryCallCarryItsId) {
  StartWithApiRecords();
  EXPECT_TRUE(tracing_.PushId(777'000));
  cupti_.Call(5, 100, 200, 1001);
  cupti_.Call(6, 210, 220, 1001);
  tracing_.PopId();
  cupti_.Call(7, 230, 240, 1001);
  Pass();
  const auto calls = runtime_.All<trace::LaunchApiRecord>();
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].external, 777'000u);
  EXPECT_EQ(calls[1].external, 777'000u);
  EXPECT_EQ(calls[2].external, 0u);
}

TEST_F(KernelTracingTest, WritesCopiesAndMemsets) {
  Start();
  cupti_.Memcpy(8, 1000, 3000, 4096);
  cupti_.Memset(9, 4000, 4100, 512);
  Pass();
  const auto copies = runtime_.All<trace::MemcpyRecord>();
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].bytes, 4096u);
  EXPECT_EQ(copies[0].copy_kind, static_cast<int>(trace::CopyKind::kHtoD));
  EXPECT_EQ(copies[0].source, static_cast<int>(trace::MemoryKind::kPageable));
  EXPECT_EQ(copies[0].source_device, trace::kNoIndex);
  const auto sets = runtime_.All<trace::MemsetRecord>();
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].bytes, 512u);
  EXPECT_NE(sets[0].stream, copies[0].stream);
}

TEST_F(KernelTracingTest, RecordsWithoutTimesAreCountedNotWritten) {
  Start();
  cupti_.Kernel("k", 1, 0, 500);
  cupti_.Kernel("k", 2, 100, 0);
  cupti_.Kernel("k", 3, 500, 400);
  cupti_.Kernel("k", 4, 500, 500);
  Pass();
  EXPECT_EQ(runtime_.All<trace::KernelRecord>().size(), 1u);
  EXPECT_EQ(runtime_.losses[LossKind::kZeroTimestamp], 3u);
}

TEST_F(KernelTracingTest, ARecordDeliveredTwiceIsWrittenOnce) {
  Start();
  for (int i = 0; i < 2; ++i) cupti_.Kernel("k", 5, 300, 450);
  cupti_.Kernel("k", 6, 300, 450);
  Pass();
  cupti_.Kernel("k", 6, 300, 450);
  Pass();
  EXPECT_EQ(runtime_.All<trace::KernelRecord>().size(), 2u);
  EXPECT_EQ(runtime_.losses[LossKind::kBadActivity], 2u);
}

TEST_F(KernelTracingTest, KernelOfManySecondsKeepsItsDuration) {
  Start();
  const uint64_t seconds = 7'000'000'000;
  cupti_.Kernel("slow", 1, 100, 100 + seconds);
  Pass();
  const auto kernels = runtime_.All<trace::KernelRecord>();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].duration_ns, trace::kDurationEscape);
  uint64_t duration = 0;
  for (const auto& bytes : runtime_.records) {
    if (bytes.size() != sizeof(trace::KernelRecord) + 8) continue;
    memcpy(&duration, bytes.data() + sizeof(trace::KernelRecord), 8);
  }
  EXPECT_EQ(duration, seconds);
}

TEST_F(KernelTracingTest, CorrelationIdsGoOnAfterTheyWrap) {
  Start();
  const uint32_t steps[] = {
      1'500'000'000, 3'000'000'000, 4'294'967'290, 3, 4'294'967'295, 10};
  for (const uint32_t id : steps) cupti_.Kernel("k", id, 10, 20);
  Pass();
  const auto kernels = runtime_.All<trace::KernelRecord>();
  ASSERT_EQ(kernels.size(), 6u);
  const uint64_t wrap = uint64_t{1} << 32;
  EXPECT_EQ(kernels[2].correlation, 4'294'967'290u);
  EXPECT_EQ(kernels[3].correlation, wrap + 3);
  EXPECT_EQ(kernels[4].correlation, 4'294'967'295u);  // came late
  EXPECT_EQ(kernels[5].correlation, wrap + 10);
}

TEST_F(KernelTracingTest, GarbageEndsItsBufferOnly) {
  Start();
  cupti_.Kernel("k", 1, 10, 20);
  cupti_.Garbage();
  cupti_.Kernel("k", 2, 30, 40);
  Pass();
  EXPECT_EQ(runtime_.All<trace::KernelRecord>().size(), 1u);
  EXPECT_GT(runtime_.losses[LossKind::kBadActivity], 0u);
  cupti_.Kernel("k", 3, 50, 60);
  Pass();
  EXPECT_EQ(runtime_.All<trace::KernelRecord>().size(), 2u);
}

TEST_F(KernelTracingTest, DroppedRecordsAreCounted) {
  Start();
  cupti_.dropped = 17;
  Pass();
  EXPECT_EQ(runtime_.losses[LossKind::kActivityDropped], 17u);
}

TEST_F(KernelTracingTest, FlushesAreNeverForcedBeforeTheEnd) {
  Start();
  for (int i = 0; i < 5; ++i) Pass();
  for (const uint32_t flags : cupti_.flushes) EXPECT_EQ(flags, 0u);
  cupti_.flushes.clear();
  cupti_.Kernel("last", 9, 10, 20);
  tracing_.Finish([] { return true; });
  ASSERT_EQ(cupti_.flushes.size(), 1u);
  EXPECT_EQ(cupti_.flushes[0], uint32_t{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED});
  EXPECT_EQ(runtime_.All<trace::KernelRecord>().size(), 1u);
}

TEST_F(KernelTracingTest, NothingIsCalledAfterTheExitFlush) {
  Start();
  tracing_.CaptureBegins();
  EXPECT_TRUE(tracing_.PushId(1));
  tracing_.Finish([] { return true; });
  EXPECT_FALSE(runtime_.pushing);
  cupti_.on_call = [](const std::string& function) {
    ADD_FAILURE() << function;
  };
  Pass();
  tracing_.Finish([] { return true; });
  tracing_.Stop();
  tracing_.CaptureBegins();
  cupti_.NodeCreated(11, 1);
  EXPECT_FALSE(tracing_.PushId(2));
  tracing_.PopId();
  uint64_t now = 0;
  EXPECT_FALSE(tracing_.Timestamp(&now));
}

TEST_F(KernelTracingTest, AStopSwitchesEverythingOffForGood) {
  Start();
  tracing_.CaptureBegins();
  cupti_.Kernel("k", 1, 10, 20);
  tracing_.Stop();
  EXPECT_TRUE(cupti_.kinds.empty());
  EXPECT_FALSE(cupti_.subscribed);
  EXPECT_FALSE(runtime_.pushing);
  cupti_.on_call = [](const std::string& function) {
    ADD_FAILURE() << function;
  };
  tracing_.Stop();
  Pass();
  EXPECT_FALSE(tracing_.PushId(2));
  tracing_.CaptureBegins();
  tracing_.Finish([] { return true; });
  uint8_t* buffer = nullptr;  // CUPTI may ask all the same
  size_t bytes = 0;
  size_t max_records = 0;
  cupti_.requested(&buffer, &bytes, &max_records);
  EXPECT_NE(buffer, nullptr);
  cupti_.completed(nullptr, 0, buffer, bytes, 100);
}

TEST_F(KernelTracingTest, MemoryIsLimitedBeforeAnythingIsOn) {
  Start();
  const auto& set = cupti_.attributes;
  ASSERT_EQ(set.count(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE), 1u);
  EXPECT_LE(set.at(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE) *
                set.at(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT),
            uint64_t{64} << 20);
  EXPECT_EQ(set.at(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER), 0u);
  EXPECT_EQ(set.at(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER), 1u);
  EXPECT_TRUE(cupti_.limited_first);
  tracing_.Stop();
  EXPECT_EQ(set.at(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER), 0u);
}

TEST_F(KernelTracingTest, WatermarkIsTheFlushBeforeTheLast) {
  Start();
  cupti_.now = 5'000;
  runtime_.now_ns += 600'000'000;
  tracing_.Pass();
  EXPECT_TRUE(runtime_.All<trace::WatermarkRecord>().empty());
  cupti_.now = 9'000;
  runtime_.now_ns += 600'000'000;
  tracing_.Pass();
  auto marks = runtime_.All<trace::WatermarkRecord>();
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].complete_until_ns, 5'000u);
  cupti_.now = 9'500;
  tracing_.Finish([] { return true; });
  marks = runtime_.All<trace::WatermarkRecord>();
  EXPECT_EQ(marks.back().complete_until_ns, 9'500u);
}

TEST_F(KernelTracingTest, NothingIsVouchedForThatWasNotDelivered) {
  Start();
  cupti_.now = 5'000;
  Pass();
  Pass();
  const auto complete_until = [this] {
    return runtime_.All<trace::WatermarkRecord>().back().complete_until_ns;
  };
  const uint64_t before = complete_until();
  runtime_.submissions += 10;
  for (int i = 0; i < 20; ++i) Pass();  // one kernel may run that long
  EXPECT_EQ(complete_until(), before);
  EXPECT_EQ(runtime_.level, trace::Level::kKernels);
  cupti_.Kernel("k", 1, 10, 20);
  Pass();
  Pass();
  EXPECT_GT(complete_until(), before);
}

TEST_F(KernelTracingTest, StolenCallbacksAreNoticedAndLeftAlone) {
  Start();
  cupti_.Kernel("k", 1, 10, 20);
  Pass();
  cupti_.requested = nullptr;  // of a client that no wrapper saw
  for (int i = 0; i < 20; ++i) {
    runtime_.submissions += 1'000;
    Pass();
  }
  EXPECT_EQ(runtime_.level, trace::Level::kHost);
  EXPECT_NE(runtime_.why.find("taken its callbacks"), std::string::npos);
  EXPECT_TRUE(cupti_.kinds.empty());
  EXPECT_FALSE(runtime_.pushing);
}

// Thousands of threads want the processor.
TEST_F(KernelTracingTest, FewSlowFlushesAreNoProofOfStolenCallbacks) {
  Start();
  cupti_.Kernel("k", 1, 10, 20);
  Pass();
  for (int i = 0; i < 3; ++i) {
    runtime_.submissions += 10'000;
    runtime_.now_ns += 6'000'000'000;
    Pass();
  }
  EXPECT_EQ(runtime_.level, trace::Level::kKernels);
}

TEST_F(KernelTracingTest, CallbacksThatAreAskedForBuffersAreNotStolen) {
  Start();
  cupti_.Kernel("k", 1, 10, 20);
  Pass();
  for (int i = 0; i < 40; ++i) {
    runtime_.submissions += 1'000;
    if (i % 4 == 0) {
      uint8_t* buffer = nullptr;
      size_t bytes = 0;
      size_t most = 0;
      cupti_.requested(&buffer, &bytes, &most);
    }
    Pass();
  }
  EXPECT_EQ(runtime_.level, trace::Level::kKernels);
}

TEST_F(KernelTracingTest, OfAllCallsOnlyLaunchesAreRecorded) {
  StartWithApiRecords();
  for (const int id : {31, 211, 505}) {
    EXPECT_EQ(cupti_.runtime_off.count(id), 0u) << id;
  }
  for (const int id : {10, 17, 165, 502}) {
    EXPECT_EQ(cupti_.runtime_off.count(id), 1u) << id;
  }
  EXPECT_EQ(cupti_.driver_off.count(307), 0u);
  EXPECT_EQ(cupti_.driver_off.count(719), 1u);
}

TEST_F(KernelTracingTest, WholeApiKindsWhereLaunchesAloneAreNotDelivered) {
  StartWithApiRecords();
  cupti_.runtime_off.insert(211);
  cupti_.runtime_off.insert(505);
  for (uint32_t i = 1; i < 100; ++i) {
    cupti_.Call(i, 10, 20, 1001);
    cupti_.Kernel("k", i, 10, 20);
  }
  Pass();
  EXPECT_EQ(cupti_.kinds.count(CUPTI_ACTIVITY_KIND_RUNTIME), 1u);
  cupti_.Call(200, 10, 20, 1001);
  cupti_.Call(201, 10, 20, 1001, /*cbid=*/3);  // not a launch
  Pass();
  EXPECT_EQ(runtime_.All<trace::LaunchApiRecord>().size(), 1u);
}

TEST_F(KernelTracingTest, IdsThatDoNotComeAreNoticedByThePushes) {
  StartWithApiRecords();
  const auto calls_in_libraries = [this](bool with_ids) {
    for (uint32_t i = 1; i <= 300; ++i) {
      EXPECT_TRUE(tracing_.PushId(i));
      if (!with_ids) cupti_.external_ids.clear();
      cupti_.Call(i, 10, 20, 1001);
      cupti_.Kernel("k", i, 10, 20);
      tracing_.PopId();
    }
    Pass();
  };
  calls_in_libraries(false);
  EXPECT_TRUE(cupti_.runtime_off.empty());
  EXPECT_EQ(runtime_.why, "");
  calls_in_libraries(false);
  EXPECT_FALSE(cupti_.runtime_off.empty());
  EXPECT_EQ(runtime_.level, trace::Level::kKernels);
  EXPECT_NE(runtime_.why.find("no external correlation ids"),
            std::string::npos);
}

TEST_F(KernelTracingTest, IdsThatComeLeaveTheKindsAlone) {
  StartWithApiRecords();
  for (uint32_t i = 1; i <= 300; ++i) {
    EXPECT_TRUE(tracing_.PushId(i));
    if (i == 7) cupti_.Call(i, 10, 20, 1001);
    tracing_.PopId();
    cupti_.Call(1000 + i, 10, 20, 1001);
  }
  Pass();
  EXPECT_FALSE(cupti_.runtime_off.empty());
  EXPECT_EQ(runtime_.why, "");
}

TEST_F(KernelTracingTest, NothingIsCalledInAForkedChild) {
  Start();
  runtime_.session = 0;
  cupti_.on_call = [](const std::string& function) {
    ADD_FAILURE() << function;
  };
  const size_t flushes = cupti_.flushes.size();
  Pass();
  tracing_.clients().BeforeRegister();
  tracing_.CaptureBegins();
  tracing_.Finish([] { return true; });
  EXPECT_EQ(cupti_.flushes.size(), flushes);
}

TEST_F(KernelTracingTest, NothingIsTracedWhileRecordingIsPaused) {
  Start();
  cupti_.Kernel("in", 1, 10, 20);
  runtime_.recording = false;
  cupti_.now = 1'000;
  tracing_.Pass();
  EXPECT_TRUE(cupti_.kinds.empty());
  cupti_.Call(2, 25, 28, 1001);
  EXPECT_TRUE(runtime_.launches.empty());
  cupti_.Kernel("out", 2, 30, 40);
  runtime_.recording = true;
  cupti_.now = 5'000;
  tracing_.Pass();
  EXPECT_TRUE(IsOn());
  cupti_.Kernel("in", 3, 50, 60);
  Pass();
  EXPECT_EQ(runtime_.All<trace::KernelRecord>().size(), 2u);
  const auto gaps = runtime_.All<trace::NotObservedRecord>();
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].begin_ns, 1'000u);
  EXPECT_EQ(gaps[0].end_ns, 5'000u);
  EXPECT_EQ(gaps[0].cause,
            static_cast<uint32_t>(trace::NotObservedCause::kRecordingOff));
}

TEST_F(KernelTracingTest, APauseKeepsCuptiUntilOurRecordsAreFetched) {
  using Owner = OtherClients::Owner;
  Start();
  Owner owner = Owner::kNobody;
  cupti_.on_flush = [&] { owner = tracing_.clients().owner(); };
  runtime_.recording = false;
  tracing_.Pass();
  // A client that came in between would be handed our records, and its
  // callbacks would run on the collector.
  EXPECT_EQ(owner, Owner::kTaking);
  EXPECT_EQ(tracing_.clients().owner(), Owner::kPaused);
}

TEST_F(KernelTracingTest, SessionThatBeginsPausedTouchesNothing) {
  runtime_.recording = false;
  Start();
  Pass();
  EXPECT_TRUE(cupti_.kinds.empty());
  EXPECT_EQ(cupti_.requested, nullptr);
  tracing_.Finish([] { return true; });
  EXPECT_EQ(runtime_.All<trace::NotObservedRecord>().size(), 1u);
}

// ---- What may fail at the start --------------------------------------------

class KernelTracingFaultTest
    : public KernelTracingFixture,
      public ::testing::WithParamInterface<const char*> {};

TEST_P(KernelTracingFaultTest, FailingCallLeavesLevelHost) {
  cupti_.failing[GetParam()] = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  StartWithApiRecords();
  EXPECT_EQ(runtime_.level, trace::Level::kHost);
  EXPECT_FALSE(runtime_.why.empty());
  EXPECT_FALSE(runtime_.pushing);
  EXPECT_TRUE(cupti_.kinds.empty()) << "left on after a failure";
  Pass();
  tracing_.Finish([] { return true; });
  EXPECT_FALSE(tracing_.PushId(1));
  EXPECT_EQ(cupti_.finalized, 0);
}

INSTANTIATE_TEST_SUITE_P(Steps, KernelTracingFaultTest,
                         ::testing::Values("cuptiGetVersion",
                                           "cuptiActivityRegisterCallbacks",
                                           "cuptiActivityEnable", "kind 10",
                                           "kind 1", "kind 2", "kind 4",
                                           "kind 5", "kind 39"));

class KernelTracingMissingTest
    : public KernelTracingFixture,
      public ::testing::WithParamInterface<const char*> {};

TEST_P(KernelTracingMissingTest, MissingFunctionLeavesLevelHost) {
  cupti_.missing.insert(GetParam());
  Start();
  EXPECT_EQ(runtime_.level, trace::Level::kHost);
  EXPECT_NE(runtime_.why.find("libcupti"), std::string::npos);
  Pass();
  tracing_.Finish([] { return true; });
}

#define X(member, function) #function,
INSTANTIATE_TEST_SUITE_P(
    Required, KernelTracingMissingTest,
    ::testing::Values(DLTAP_CUPTI_REQUIRED(X) "cuptiGetVersion"));
#undef X

class KernelTracingOptionalTest
    : public KernelTracingFixture,
      public ::testing::WithParamInterface<const char*> {};

TEST_P(KernelTracingOptionalTest, OlderLibraryStillTracesKernels) {
  cupti_.missing.insert(GetParam());
  Start();
  tracing_.CaptureBegins();
  EXPECT_EQ(runtime_.level, trace::Level::kKernels);
  cupti_.Call(1, 5, 6, 1001);
  cupti_.Kernel("k", 1, 10, 20);
  Pass();
  EXPECT_EQ(runtime_.All<trace::KernelRecord>().size(), 1u);
  EXPECT_EQ(
      runtime_.All<trace::LaunchApiRecord>().size() + runtime_.launches.size(),
      1u);
}

#define X(member, function) #function,
INSTANTIATE_TEST_SUITE_P(
    Optional, KernelTracingOptionalTest,
    ::testing::Values(DLTAP_CUPTI_OPTIONAL(X) "cuptiGetGraphId"));
#undef X

TEST_F(KernelTracingTest, ReasonNamesTheStepAndTheError) {
  cupti_.failing["kind 10"] = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  Start();
  EXPECT_EQ(runtime_.why,
            "cuptiActivityEnable: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)");
}

TEST_F(KernelTracingTest, TooOldCuptiIsRefused) {
  cupti_.version = 12;
  Start();
  EXPECT_EQ(runtime_.level, trace::Level::kHost);
}

TEST_F(KernelTracingTest, AnInjectedToolKeepsCupti) {
  setenv("CUDA_INJECTION64_PATH", "/proc/self/exe", 1);
  Start();
  EXPECT_EQ(runtime_.level, trace::Level::kHost);
  EXPECT_NE(runtime_.why.find("CUDA_INJECTION64_PATH"), std::string::npos);
  EXPECT_TRUE(cupti_.kinds.empty());
}

TEST_F(KernelTracingTest, AToolThatIsFoundByNameKeepsCupti) {
  setenv("CUDA_INJECTION64_PATH", "libToolsInjection64.so", 1);
  Start();
  EXPECT_EQ(runtime_.level, trace::Level::kHost);
}

TEST_F(KernelTracingTest, AToolThatIsNotThereKeepsNothing) {
  setenv("CUDA_INJECTION64_PATH", "/opt/gone/libToolsInjection64.so", 1);
  Start();
  EXPECT_EQ(runtime_.level, trace::Level::kKernels);
}

TEST_F(KernelTracingTest, ItIsNoOtherToolThatTheDriverLoadedUsAs) {
  setenv("CUDA_INJECTION64_PATH", "/usr/lib/libdltap.so", 1);
  runtime_.is_injected = true;
  Start();
  EXPECT_EQ(runtime_.level, trace::Level::kKernels);
  EXPECT_FALSE(cupti_.kinds.empty());
}

// ---- Graph nodes -----------------------------------------------------------

TEST_F(KernelTracingTest, GraphNodesAreTracedToTheirCalls) {
  Start();
  tracing_.CaptureBegins();
  EXPECT_TRUE(cupti_.subscribed);
  runtime_.open_call = 4242;
  cupti_.NodeCreated(/*node=*/11, /*graph=*/1);
  cupti_.NodeCloned(11, 12, 2);
  cupti_.Kernel("k", 9, 100, 200, /*graph_node=*/12, /*graph=*/2);
  Pass();
  const auto nodes = runtime_.All<trace::GraphNodeRecord>();
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].node, 11u);
  EXPECT_EQ(nodes[0].call_begin_ticks, 4242u);
  EXPECT_EQ(nodes[0].thread, 3u);
  EXPECT_EQ(nodes[0].original_node, 0u);
  EXPECT_EQ(nodes[1].node, 12u);
  EXPECT_EQ(nodes[1].original_node, 11u);
  EXPECT_EQ(nodes[1].graph, 2u);
  EXPECT_EQ(runtime_.All<trace::KernelRecord>()[0].graph_node, 12u);
}

TEST_F(KernelTracingTest, BusySubscriberIsCountedNotFought) {
  cupti_.busy_subscriber = true;
  Start();
  tracing_.CaptureBegins();
  tracing_.CaptureBegins();
  EXPECT_EQ(runtime_.losses[LossKind::kGraphNodeUnknown], 2u);
  EXPECT_EQ(runtime_.level, trace::Level::kKernels);
}

}  // namespace
}  // namespace dltap::shim::cupti
