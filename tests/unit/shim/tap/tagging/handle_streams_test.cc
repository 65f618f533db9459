// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/handle_streams.h"

#include <gtest/gtest.h>

#include "shim/tap/tagging/hooks.h"
#include "tests/unit/shim/tap/tagging/fake_host.h"

namespace dltap::shim::tagging {
namespace {

int g_handles[4];
int g_streams[2];

TEST(HandleStreamsTest, NotesOnlyChanges) {
  FakeHost host;
  hooks::HandleStream::After(0, &g_handles[0], &g_streams[0]);
  hooks::HandleStream::After(0, &g_handles[0], &g_streams[0]);
  hooks::HandleStream::After(0, &g_handles[0], &g_streams[1]);
  hooks::HandleStream::After(1, &g_handles[0], &g_streams[0]);  // failed
  EXPECT_EQ(host.streams.size(), 2u);
}

TEST(HandleStreamsTest, DefaultStreamIsAStream) {
  FakeHost host;
  hooks::HandleStream::After(0, &g_handles[1], nullptr);
  hooks::HandleStream::After(0, &g_handles[1], nullptr);
  ASSERT_EQ(host.streams.size(), 1u);
  EXPECT_EQ(host.streams[0].second, 0u);
}

TEST(HandleStreamsTest, WhatWasNotWrittenIsTriedAgain) {
  FakeHost host;
  host.recording = false;
  hooks::HandleStream::After(0, &g_handles[2], &g_streams[0]);
  host.recording = true;
  hooks::HandleStream::After(0, &g_handles[2], &g_streams[0]);
  EXPECT_EQ(host.streams.size(), 1u);
}

TEST(HandleStreamsTest, NewHandleAtAnOldAddressStartsAnew) {
  FakeHost host;
  hooks::HandleStream::After(0, &g_handles[3], &g_streams[0]);
  hooks::HandleGone::Before(&g_handles[3]);
  hooks::HandleStream::After(0, &g_handles[3], &g_streams[0]);
  EXPECT_EQ(host.streams.size(), 2u);
}

TEST(CaptureTest, ThreadCapturesFromASuccessfulBeginToTheEnd) {
  FakeHost host;
  hooks::CaptureBegin::Before();
  EXPECT_EQ(host.captures, 1);
  hooks::CaptureBegin::After(901);  // refused
  EXPECT_FALSE(host.capturing);
  hooks::CaptureBegin::After(0);
  EXPECT_TRUE(host.capturing);
  hooks::CaptureEnd::After(901);  // the capture was invalidated
  EXPECT_FALSE(host.capturing);
  hooks::GraphBegin::Before();
  EXPECT_EQ(host.captures, 2);
}

}  // namespace
}  // namespace dltap::shim::tagging
