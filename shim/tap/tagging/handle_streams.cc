// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/handle_streams.h"

#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

// Plans of cuFFT count from 0 or 1, which are no keys.
uint64_t SlotOf(const void* handle) {
  return reinterpret_cast<uint64_t>(handle) + 2;
}

}  // namespace

void HandleStreams::Set(void* handle, void* stream) {
  if (g_runtime.session == nullptr || g_runtime.note_stream == nullptr) return;
  const uint64_t session = g_runtime.session() & 0xFFFF;
  if (session == 0) return;
  const uint64_t key = reinterpret_cast<uint64_t>(handle);
  const uint64_t slot = SlotOf(handle);
  const uint64_t value = reinterpret_cast<uint64_t>(stream) << 16 | session;
  if (streams_.Find(slot) == value) return;
  // Not kept unless it is in the trace: the next call tries again.
  if (g_runtime.note_stream(key, reinterpret_cast<uint64_t>(stream)) &&
      !streams_.Insert(slot, value)) {
    CountLoss(trace::LossKind::kHandleStreamTable);
  }
}

void HandleStreams::Forget(void* handle) { streams_.Erase(SlotOf(handle)); }

constinit HandleStreams g_handle_streams;

}  // namespace dltap::shim::tagging
