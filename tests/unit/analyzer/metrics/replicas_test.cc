// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/replicas.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace dltap::analyzer {
namespace {

constexpr int kSteps = 10;
constexpr uint32_t kCalls = 4;  // of a step

class ReplicasTest : public testing::Test {
 protected:
  void AddCall(size_t thread, size_t device, uint32_t signature) {
    Call call{};
    call.thread = ThreadId(thread);
    call.begin_ns = now_ns_;
    CallToken token{signature, now_ns_, now_ns_ + 1};
    token.computes = true;
    token.call = CallId(process_.calls.size());
    token.device = DeviceId(device);
    process_.calls.push_back(call);
    tokens_.push_back(token);
    now_ns_ += 10;
  }

  void AddStep(size_t thread, size_t device) {
    for (uint32_t i = 0; i < kCalls; ++i) AddCall(thread, device, i);
  }

  std::vector<CallToken> Left() const {
    return WithoutReplicas(process_, tokens_);
  }

  Process process_;
  std::vector<CallToken> tokens_;
  int64_t now_ns_ = 0;
};

// Each device has a thread of XLA's; which one comes first changes.
TEST_F(ReplicasTest, AStepOfSeveralDevicesIsOne) {
  for (int step = 0; step < kSteps; ++step) {
    const size_t first = step % 2;
    AddStep(first, first);
    AddStep(1 - first, 1 - first);
  }
  const std::vector<CallToken> left = Left();
  ASSERT_EQ(left.size(), kSteps * kCalls);
  for (uint32_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].signature, i % kCalls);
    EXPECT_EQ(left[i].device, left[0].device);
    if (i > 0 && i % kCalls == 0) {
      EXPECT_EQ(left[i].begin_ns, 10 * 2 * i);
    }
  }
}

// TensorFlow's threads run what is ready, of any device, in any order.
TEST_F(ReplicasTest, DevicesThatCommunicateShareTheirSteps) {
  const auto add_steps = [this](bool communicate) {
    for (int step = 0; step < 2 * kSteps; ++step) {
      const size_t device = step % 2;
      const bool turned = step % 3 == 0;
      for (uint32_t i = 0; i < kCalls; ++i) {
        AddCall(i % 2, device, turned ? kCalls - 1 - i : i);
      }
      AddCall(2 + device, device, kCalls);
      tokens_.back().communicates = communicate;
    }
  };
  add_steps(false);
  EXPECT_EQ(Left().size(), 2 * kSteps * (kCalls + 1));
  tokens_.clear();
  add_steps(true);
  EXPECT_EQ(Left().size(), kSteps * (kCalls + 1));
}

TEST_F(ReplicasTest, WhatOneDeviceDoesBesideStays) {
  for (int step = 0; step < kSteps; ++step) {
    AddStep(0, 0);
    AddCall(0, 0, kCalls);  // it prints the loss
    AddStep(1, 1);
  }
  EXPECT_EQ(Left().size(), kSteps * (kCalls + 1));
}

TEST_F(ReplicasTest, EachDeviceHasGraphsOfItsOwn) {
  for (int step = 0; step < 2 * kSteps; ++step) {
    const size_t device = step % 2;
    AddStep(device, device);
    AddCall(device, device, kCalls + step % 2);
    tokens_.back().whole = true;
    tokens_.back().kernels = 7;
  }
  EXPECT_EQ(Left().size(), kSteps * (kCalls + 1));
}

TEST_F(ReplicasTest, ThreadsThatDoDifferentThingsStay) {
  for (int step = 0; step < kSteps; ++step) {
    AddStep(0, 0);
    for (uint32_t i = 0; i < kCalls; ++i) AddCall(1, 1, 10 + i);
  }
  EXPECT_EQ(Left().size(), tokens_.size());
}

TEST_F(ReplicasTest, ThreadsOfOneDeviceStay) {
  for (int step = 0; step < kSteps; ++step) {
    AddStep(0, 0);
    AddStep(1, 0);
  }
  EXPECT_EQ(Left().size(), tokens_.size());
}

}  // namespace
}  // namespace dltap::analyzer
