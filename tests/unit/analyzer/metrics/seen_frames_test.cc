// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/seen_frames.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/idle/frame_roles.h"
#include "analyzer/metrics/idle/gaps.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

// A copy of a batch, a pause of 1 ms, a kernel, a pause of 1 ms, the next copy.
// Site 1 loads, 2 is a callback's, 3 the program's own.
constexpr char kPauses[] =
    "site 1 python\n"
    "frame function=collate place=/me/train.py line=7\n"
    "frame function=fetch "
    "place=/s/site-packages/torch/utils/data/_utils/fetch.py line=70\n"
    "frame function=<module> place=/me/train.py line=30\n"
    "site 2 python\n"
    "frame function=Log.on_step_end place=/me/train.py line=12\n"
    "frame function=CallbackHandler.call_event "
    "place=/s/site-packages/transformers/trainer_callback.py line=500\n"
    "site 3 python\n"
    "frame function=make place=/me/train.py line=9\n"
    "device 0 name=gpu\n"
    "call t=0..10us thread=0 cudaMemcpyAsync\n"
    "launchapi t=1..9us thread=0 corr=1\n"
    "memcpy t=12..20us device=0 stream=7 corr=1 kind=htod bytes=64\n"
    "call t=1010..1020us thread=0 cudaLaunchKernel\n"
    "launchapi t=1011..1019us thread=0 corr=2\n"
    "kernel t=1022..1030us device=0 stream=7 corr=2 name=cudnn::conv_kernel\n"
    "call t=2020..2030us thread=0 cudaMemcpyAsync\n"
    "launchapi t=2021..2029us thread=0 corr=3\n"
    "memcpy t=2032..2040us device=0 stream=7 corr=3 kind=htod bytes=64\n";

std::string Look(int64_t at_us, int site) {
  return "frames t=" + std::to_string(at_us) +
         "us thread=0 site=" + std::to_string(site) + "\n";
}

std::vector<Gap> GapsOf(const TraceModel& model) {
  const Attribution attribution = Attribute(model);
  const Process& process = model.processes[0];
  const auto windows =
      StepWindows(process, attribution.processes[0], {}, DeviceId(0));
  const HostView host(model, process, attribution.processes[0], {},
                      DeviceId(0));
  std::vector<Gap> gaps;
  FindGaps(process, attribution.processes[0], {}, host, DeviceId(0), windows,
           [&gaps](const Gap& gap) { gaps.push_back(gap); });
  return gaps;
}

// Of the pause behind the copy, and of the one before the next.
struct InputUs {
  explicit InputUs(const std::string& looks) {
    const std::vector<Gap> gaps = GapsOf(TraceFromText(kPauses + looks));
    const auto input = [&](size_t i) {
      return gaps.at(i).ns[static_cast<size_t>(IdleCause::kInput)] / 1000;
    };
    behind = input(0);
    before = input(1);
  }
  int64_t behind;
  int64_t before;
};

TEST(SeenFramesTest, WithoutLooksTheInputEndsWithItsCopy) {
  const InputUs input("");
  EXPECT_EQ(input.behind, 0);
  EXPECT_EQ(input.before, 990);
}

TEST(SeenFramesTest, ALoaderBehindTheCopyIsInput) {
  const InputUs input(Look(200, 1) + Look(500, 1) + Look(900, 1));
  EXPECT_EQ(input.behind, 990);  // from the copy's end on
  EXPECT_EQ(input.before, 990);
}

TEST(SeenFramesTest, ItIsAsMuchOfThePauseAsOfTheLooks) {
  const InputUs input(Look(200, 1) + Look(400, 3) + Look(600, 3) +
                      Look(900, 1));
  EXPECT_NEAR(input.behind, 490, 10);  // the first half holds the copy
}

TEST(SeenFramesTest, ACallbackBeforeTheCopyIsNoInput) {
  const InputUs input(Look(1100, 2) + Look(1300, 3) + Look(1500, 3) +
                      Look(1700, 3));
  EXPECT_NEAR(input.before, 740, 10);
}

// Keras: the thread that calls back then waits for a step that others submit.
TEST(SeenFramesTest, ACallbackIsWhereInItsPauseItIsSeen) {
  std::string text = kPauses;
  // The next call of the thread comes 1 ms after the copy of another thread.
  text = absl::StrReplaceAll(text,
                             {{"call t=2020..2030us thread=0 cudaMemcpyAsync\n"
                               "launchapi t=2021..2029us thread=0",
                               "call t=2020..2030us thread=1 cudaMemcpyAsync\n"
                               "launchapi t=2021..2029us thread=1"}});
  text += "call t=3020..3030us thread=0 cudaStreamSynchronize\n";
  text += Look(1100, 2) + Look(1900, 2) + Look(2300, 3) + Look(2700, 3);
  const std::vector<Gap> gaps = GapsOf(TraceFromText(text));
  EXPECT_LT(gaps.at(1).ns[static_cast<size_t>(IdleCause::kInput)], 50'000);
}

TEST(SeenFramesTest, ALoaderAndACallbackThatTakeTurnsHaveAHalfEach) {
  const InputUs input(Look(1100, 1) + Look(1400, 2) + Look(1600, 2) +
                      Look(1900, 1));
  EXPECT_NEAR(input.before, 495, 5);
}

TEST(SeenFramesTest, WhatTheProgramDoesItselfBeforeTheCopyStaysInput) {
  const InputUs input(Look(1100, 3) + Look(1300, 3) + Look(1500, 3));
  EXPECT_EQ(input.before, 990);
  EXPECT_EQ(input.behind, 0);
}

TEST(SeenFramesTest, TwoLooksTellNothing) {
  const InputUs input(Look(200, 1) + Look(500, 1) + Look(1100, 2));
  EXPECT_EQ(input.behind, 0);
  EXPECT_EQ(input.before, 990);
}

TEST(SeenFramesTest, CodeOfWhichNoPathIsKnownIsNoLoader) {
  const InputUs input(Look(200, 1) + Look(500, 1) +
                      "frames t=700us thread=0\nframes t=800us thread=0\n");
  EXPECT_NEAR(input.behind, 490, 10);
}

TEST(SeenFramesTest, PausesOfOneKindAreLookedAtTogether) {
  std::string text = kPauses;
  for (int i = 1; i <= 3; ++i) {
    const auto us = [i](int64_t at) { return std::to_string(at + i * 10'000); };
    const std::string corr = std::to_string(10 * i);
    text += "call t=" + us(0) + ".." + us(10) +
            "us thread=0 cudaMemcpyAsync\n" + "launchapi t=" + us(1) + ".." +
            us(9) + "us thread=0 corr=" + corr + "\nmemcpy t=" + us(12) + ".." +
            us(20) + "us device=0 stream=7 corr=" + corr +
            " kind=htod bytes=64\n" + "call t=" + us(1010) + ".." + us(1020) +
            "us thread=0 cudaLaunchKernel\nlaunchapi t=" + us(1011) + ".." +
            us(1019) + "us thread=0 corr=" + corr + "1\nkernel t=" + us(1022) +
            ".." + us(1030) + "us device=0 stream=7 corr=" + corr +
            "1 name=cudnn::conv_kernel\n" + Look(i * 10'000 + 300, 1);
  }
  const std::vector<Gap> gaps = GapsOf(TraceFromText(text));
  EXPECT_EQ(gaps.at(0).ns[static_cast<size_t>(IdleCause::kInput)], 990'000);
}

TEST(SeenFramesTest, APauseBeforeAResultIsReadIsOfAnotherKindThanALoaders) {
  // Of the pauses behind a launch the first ends with the copy of a batch, and
  // all looks at it find the loader; the second with that of a result.
  const std::vector<Gap> gaps = GapsOf(TraceFromText(
      kPauses + Look(1100, 1) + Look(1300, 1) + Look(1500, 1) +
      "call t=3010..3020us thread=0 cudaLaunchKernel\n"
      "launchapi t=3011..3019us thread=0 corr=4\n"
      "kernel t=3022..3030us device=0 stream=7 corr=4 "
      "name=cudnn::conv_kernel\n"
      "call t=4020..4030us thread=0 cudaMemcpyAsync\n"
      "launchapi t=4021..4029us thread=0 corr=5\n"
      "memcpy t=4032..4040us device=0 stream=7 corr=5 kind=dtoh bytes=64\n"));
  const auto input = static_cast<size_t>(IdleCause::kInput);
  EXPECT_EQ(gaps.at(1).ns[input], 990'000);
  EXPECT_EQ(gaps.at(3).ns[input], 0);
}

TEST(SeenFramesTest, LooksAreCountedByWhatTheThreadIsAt) {
  const TraceModel model = TraceFromText(
      kPauses + Look(200, 1) + Look(500, 1) + Look(900, 1) + Look(1015, 3) +
      Look(1200, 3) + "frames t=1300us thread=0\n");
  SeenFramesKeeper keeper(model);
  for (const Gap& gap : GapsOf(model)) keeper.Add(gap);
  const SeenFrames seen = keeper.Take();
  const auto input = static_cast<size_t>(SeenIn::kInput);
  EXPECT_EQ(seen.all[input], 5);
  EXPECT_EQ(seen.by_role[input][static_cast<size_t>(FrameRole::kLoader)], 3);
  EXPECT_EQ(seen.all[static_cast<size_t>(SeenIn::kCall)], 1);
  const std::map<std::string, uint64_t> names = {{"train.py:7 collate", 3},
                                                 {"train.py:9 make", 1}};
  EXPECT_EQ(seen.by_name[input], names);
}

// What all gaps of `text`, with these threads for the first kernel and the copy
// behind it, say of the looks at thread 0.
uint64_t LooksWith(const std::string& kernel_thread,
                   const std::string& copy_thread, SeenIn in) {
  const TraceModel model = TraceFromText(
      "thread 0 tid=1 name=python\nthread 1 tid=2 name=native\n" +
      absl::StrReplaceAll(
          kPauses, {{"thread=0 cudaLaunchKernel",
                     "thread=" + kernel_thread + " cudaLaunchKernel"},
                    {"1019us thread=0", "1019us thread=" + kernel_thread},
                    {"2030us thread=0", "2030us thread=" + copy_thread},
                    {"2029us thread=0", "2029us thread=" + copy_thread},
                    {"stream=7 corr=3", "stream=" + copy_thread + " corr=3"}}) +
      Look(500, 3) + Look(1500, 3));
  SeenFramesKeeper keeper(model);
  for (const Gap& gap : GapsOf(model)) keeper.Add(gap);
  return keeper.Take().all[static_cast<size_t>(in)];
}

// As autograd's does.
TEST(SeenFramesTest, AThreadWithoutPythonWorksForTheOneItTakesTurnsWith) {
  EXPECT_EQ(LooksWith("0", "0", SeenIn::kBetweenCalls), 1);
  EXPECT_EQ(LooksWith("1", "0", SeenIn::kBetweenCalls), 1);
}

// As XLA's threads do for JAX, each on a stream of its own.
TEST(SeenFramesTest, AThreadThatOnlyCopiesWorksForTheOneThatComputes) {
  EXPECT_EQ(LooksWith("0", "1", SeenIn::kInput), 1);
}

LaunchSite Path(std::vector<SiteFrame> frames) {
  return {.kind = SiteKind::kPython,
          .truncated = false,
          .frames = std::move(frames)};
}

TEST(NameOfPauseTest, IsTheInnermostLineOfTheProgramAndWhatItCalls) {
  const SiteFrame own{.function = "Set.__getitem__",
                      .place = "/me/data.py",
                      .detail = "",
                      .line = 33};
  const SiteFrame library{.function = "resize",
                          .place = "/v/site-packages/torchvision/f.py",
                          .detail = "",
                          .line = 9};
  const SiteFrame wait{.function = "Condition.wait",
                       .place = "/usr/lib/python3.11/threading.py",
                       .detail = "",
                       .line = 320};
  EXPECT_EQ(NameOfPause(Path({own})), "data.py:33 Set.__getitem__");
  EXPECT_EQ(NameOfPause(Path({library, own})),
            "data.py:33 Set.__getitem__ > torchvision/f.py resize");
  EXPECT_EQ(NameOfPause(Path({wait, library, own})),
            "data.py:33 Set.__getitem__ > torchvision/f.py resize");
  EXPECT_EQ(NameOfPause(Path({wait, own})), "data.py:33 Set.__getitem__");
  EXPECT_EQ(NameOfPause(Path({library})), "torchvision/f.py resize");
  EXPECT_EQ(NameOfPause(Path({wait})), "");
}

TEST(FrameRolesTest, TheInnermostFrameOfAKnownPackageDecides) {
  const SiteFrame loader{
      .function = "_BaseDataLoaderIter.__next__",
      .place = "/site-packages/torch/utils/data/dataloader.py",
      .detail = "",
      .line = 1};
  const SiteFrame callback{
      .function = "Callback.on_epoch_end",
      .place = "/site-packages/keras/src/callbacks/callback.py",
      .detail = "",
      .line = 1};
  const SiteFrame own{.function = "step",
                      .place = "/me/wandb/grain/train.py",
                      .detail = "",
                      .line = 1};
  EXPECT_EQ(RoleOf(Path({loader, callback})), FrameRole::kLoader);
  EXPECT_EQ(RoleOf(Path({own, callback, loader})), FrameRole::kAside);
  EXPECT_EQ(RoleOf(Path({own})), FrameRole::kNone);
}

SiteFrame FrameOf(std::string function, std::string place) {
  return {.function = std::move(function),
          .place = std::move(place),
          .detail = "",
          .line = 1};
}

TEST(FrameRolesTest, TheModelAndItsUpdateMakeNoBatch) {
  const SiteFrame own = FrameOf("route", "/me/net.py");
  for (const auto& [function, place] :
       {std::pair{"Module._call_impl", "torch/nn/modules/module.py"},
        {"Adam.step", "torch/optim/adam.py"},
        {"roc_auc_score", "sklearn/metrics/_ranking.py"},
        {"Engine._fire_event", "ignite/engine/engine.py"},
        {"_fire_event", "ignite/engine/engine.py"}}) {
    const SiteFrame library =
        FrameOf(function, std::string("/site-packages/") + place);
    EXPECT_EQ(RoleOf(Path({own, library})), FrameRole::kAside) << place;
  }
  const SiteFrame loop =
      FrameOf("Engine._run_once", "/site-packages/ignite/engine/engine.py");
  EXPECT_EQ(RoleOf(Path({own, loop})), FrameRole::kNone);
}

// As transforms of a batch are, in the thread that trains.
TEST(FrameRolesTest, AModuleThatALoaderCallsIsTheLoaders) {
  const SiteFrame module =
      FrameOf("Module._call_impl", "/site-packages/torch/nn/modules/module.py");
  const SiteFrame own = FrameOf("Crops.__getitem__", "/me/data.py");
  const SiteFrame loader =
      FrameOf("_BaseDataLoaderIter.__next__",
              "/site-packages/torch/utils/data/dataloader.py");
  EXPECT_EQ(RoleOf(Path({module, own, loader})), FrameRole::kLoader);
}

TEST(FrameRolesTest, PythonsOwnLoggingIsAside) {
  EXPECT_EQ(RoleOf(Path({FrameOf("Logger.info",
                                 "/usr/lib/python3.11/logging/__init__.py"),
                         FrameOf("note", "/me/train.py")})),
            FrameRole::kAside);
  EXPECT_EQ(RoleOf(Path({FrameOf("get", "/usr/lib/python3.11/queue.py")})),
            FrameRole::kNone);
  EXPECT_EQ(RoleOf(Path({FrameOf("info", "/me/logging/__init__.py")})),
            FrameRole::kNone);
}

}  // namespace
}  // namespace dltap::analyzer
