// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/capture_sequence.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace dltap::simgpu {
namespace {

constinit std::atomic<int> g_active{0};

struct Captures {
  std::mutex mutex;
  std::vector<CaptureSequence*> active;
  uint64_t last_id = 0;
};

Captures& All() {
  static auto* const captures = new Captures;
  return *captures;
}

// REQUIRES: the capture mutex, for all that follows.

void Join(CaptureSequence& capture, Stream& stream) {
  const std::lock_guard lock(stream.mutex);
  capture.streams.push_back(&stream);
  stream.capture.store(&capture, std::memory_order_release);
}

CaptureSequence* FindById(uint64_t id) {
  for (CaptureSequence* capture : All().active) {
    if (capture->id == id) return capture;
  }
  return nullptr;
}

// Work on the legacy stream would follow the capture's streams.
bool ImplicitlyDependsOn(const Stream& stream, const CaptureSequence& capture) {
  if (!stream.legacy) return false;
  for (const Stream* member : capture.streams) {
    if (member->blocking() && member->device == stream.device) return true;
  }
  return false;
}

}  // namespace

std::mutex& CaptureMutex() { return All().mutex; }

void OpenCapture(Stream& stream, CaptureMode mode,
                 std::unique_ptr<CaptureTarget> target) {
  Captures& all = All();
  ThreadState& thread = CurrentThread();
  auto* capture = new CaptureSequence{.id = ++all.last_id,
                                      .target = std::move(target),
                                      .origin = &stream,
                                      .mode = mode,
                                      .thread_id = thread.thread_id,
                                      .thread = &thread,
                                      .invalidated = false,
                                      .streams = {}};
  if (mode != CaptureMode::kRelaxed) ++thread.strict_captures;
  all.active.push_back(capture);
  g_active.store(static_cast<int>(all.active.size()));
  Join(*capture, stream);
}

void CloseCapture(CaptureSequence* capture) {
  for (Stream* stream : capture->streams) {
    const std::lock_guard lock(stream->mutex);
    stream->capture.store(nullptr, std::memory_order_release);
  }
  if (capture->mode != CaptureMode::kRelaxed)
    --capture->thread->strict_captures;
  std::erase(All().active, capture);
  g_active.store(static_cast<int>(All().active.size()));
  delete capture;
}

bool FollowsCapture(const Stream& stream) {
  return std::ranges::any_of(All().active, [&](const CaptureSequence* capture) {
    return ImplicitlyDependsOn(stream, *capture);
  });
}

bool AnyCapture() { return g_active.load(std::memory_order_relaxed) != 0; }

Error CaptureWork(Stream& stream, Work work) {
  const std::lock_guard lock(CaptureMutex());
  CaptureSequence* capture = stream.capture.load();
  if (capture == nullptr || capture->invalidated) {
    return Error::kCaptureInvalidated;
  }
  return capture->target->Add(stream, std::move(work));
}

Error CaptureEventRecord(Event& event, Stream& stream) {
  const std::lock_guard lock(CaptureMutex());
  CaptureSequence* capture = stream.capture.load();
  if (capture == nullptr || capture->invalidated) {
    return Error::kCaptureInvalidated;
  }
  const std::lock_guard event_lock(event.mutex);
  event.recorded = true;
  event.capture_id = capture->id;
  capture->target->Record(event, stream);
  return Error::kSuccess;
}

Error CaptureEventWait(Stream& stream, Event& event) {
  const std::lock_guard lock(CaptureMutex());
  const std::lock_guard event_lock(event.mutex);
  CaptureSequence* mine = stream.capture.load();
  CaptureSequence* theirs = FindById(event.capture_id);
  if (mine == nullptr && theirs == nullptr) return Error::kNotReady;
  if (mine != nullptr && mine->invalidated) return Error::kCaptureInvalidated;
  if (theirs == nullptr) {
    if (!event.recorded) return Error::kSuccess;
    mine->invalidated = true;
    return Error::kCaptureIsolation;
  }
  if (stream.legacy) {
    theirs->invalidated = true;
    return Error::kCaptureImplicit;
  }
  if (mine != nullptr && mine != theirs) {
    mine->invalidated = theirs->invalidated = true;
    return Error::kCaptureMerge;
  }
  if (mine == nullptr) Join(*theirs, stream);
  theirs->target->Wait(stream, event);
  return Error::kSuccess;
}

void AbandonCapture(Stream& stream) {
  const std::lock_guard lock(CaptureMutex());
  CaptureSequence* capture = stream.capture.load();
  if (capture == nullptr) return;
  capture->invalidated = true;
  if (capture->origin == &stream) {
    CloseCapture(capture);
  } else {
    std::erase(capture->streams, &stream);
  }
}

Error CheckImplicitCapture(Stream& stream) {
  if (!AnyCapture() || !stream.legacy) return Error::kSuccess;
  const std::lock_guard lock(CaptureMutex());
  Error error = Error::kSuccess;
  for (CaptureSequence* capture : All().active) {
    if (!ImplicitlyDependsOn(stream, *capture)) continue;
    capture->invalidated = true;
    error = Error::kCaptureImplicit;
  }
  return error;
}

Error CheckUnsafeCall() {
  if (!AnyCapture()) return Error::kSuccess;
  const ThreadState& thread = CurrentThread();
  if (thread.capture_mode == CaptureMode::kRelaxed) return Error::kSuccess;
  const std::lock_guard lock(CaptureMutex());
  Error error = Error::kSuccess;
  for (CaptureSequence* capture : All().active) {
    const bool own = capture->thread_id == thread.thread_id &&
                     capture->mode != CaptureMode::kRelaxed;
    const bool others = capture->mode == CaptureMode::kGlobal &&
                        thread.capture_mode == CaptureMode::kGlobal;
    if (!own && !others) continue;
    capture->invalidated = true;
    error = Error::kCaptureUnsupported;
  }
  return error;
}

Error RefuseWhileDeviceCaptures(const Device& device) {
  if (!AnyCapture()) return Error::kSuccess;
  const std::lock_guard lock(CaptureMutex());
  Error error = Error::kSuccess;
  for (CaptureSequence* capture : All().active) {
    if (capture->origin->device != &device) continue;
    capture->invalidated = true;
    error = Error::kCaptureUnsupported;
  }
  return error;
}

Error RefuseCapturedEvent(Event& event) {
  const std::lock_guard lock(CaptureMutex());
  const std::lock_guard event_lock(event.mutex);
  if (event.capture_id == 0) return Error::kSuccess;
  if (CaptureSequence* capture = FindById(event.capture_id)) {
    capture->invalidated = true;
  }
  return Error::kCapturedEvent;
}

Error RefuseWhileCapturing(Stream& stream) {
  if (stream.capture.load(std::memory_order_acquire) == nullptr) {
    return CheckImplicitCapture(stream);
  }
  const std::lock_guard lock(CaptureMutex());
  CaptureSequence* capture = stream.capture.load();
  if (capture == nullptr) return Error::kSuccess;
  capture->invalidated = true;
  return Error::kCaptureUnsupported;
}

}  // namespace dltap::simgpu
