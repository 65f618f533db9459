// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/handle_streams.h"

#include <gtest/gtest.h>

#include "shim/tap/tagging/object_hooks.h"
#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

int g_handles[4];
int g_streams[2];

TEST(HandleStreamsTest, NotesOnlyChanges) {
  FakeTaggingRuntime runtime;
  hooks::HandleStream::After(0, &g_handles[0], &g_streams[0]);
  hooks::HandleStream::After(0, &g_handles[0], &g_streams[0]);
  hooks::HandleStream::After(0, &g_handles[0], &g_streams[1]);
  hooks::HandleStream::After(1, &g_handles[0], &g_streams[0]);  // failed
  EXPECT_EQ(runtime.streams.size(), 2u);
}

TEST(HandleStreamsTest, DefaultStreamIsAStream) {
  FakeTaggingRuntime runtime;
  hooks::HandleStream::After(0, &g_handles[1], nullptr);
  hooks::HandleStream::After(0, &g_handles[1], nullptr);
  ASSERT_EQ(runtime.streams.size(), 1u);
  EXPECT_EQ(runtime.streams[0].second, 0u);
}

TEST(HandleStreamsTest, WhatWasNotWrittenIsTriedAgain) {
  FakeTaggingRuntime runtime;
  runtime.recording = false;
  hooks::HandleStream::After(0, &g_handles[2], &g_streams[0]);
  runtime.recording = true;
  hooks::HandleStream::After(0, &g_handles[2], &g_streams[0]);
  EXPECT_EQ(runtime.streams.size(), 1u);
}

TEST(HandleStreamsTest, NewHandleAtAnOldAddressStartsAnew) {
  FakeTaggingRuntime runtime;
  hooks::HandleStream::After(0, &g_handles[3], &g_streams[0]);
  hooks::HandleGone::Before(&g_handles[3]);
  hooks::HandleStream::After(0, &g_handles[3], &g_streams[0]);
  EXPECT_EQ(runtime.streams.size(), 2u);
}

TEST(CaptureTest, ThreadCapturesFromASuccessfulBeginToTheEnd) {
  FakeTaggingRuntime runtime;
  hooks::CaptureBegin::Before();
  EXPECT_EQ(runtime.captures, 1);
  hooks::CaptureBegin::After(901);  // refused
  EXPECT_FALSE(runtime.capturing);
  hooks::CaptureBegin::After(0);
  EXPECT_TRUE(runtime.capturing);
  hooks::CaptureEnd::After(901);  // the capture was invalidated
  EXPECT_FALSE(runtime.capturing);
  hooks::GraphBegin::Before();
  EXPECT_EQ(runtime.captures, 2);
}

}  // namespace
}  // namespace dltap::shim::tagging
