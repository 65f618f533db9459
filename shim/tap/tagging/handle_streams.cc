// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/handle_streams.h"

#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {

void HandleStreams::Set(void* handle, void* stream) {
  if (g_runtime.session == nullptr || g_runtime.note_stream == nullptr) return;
  const uint64_t session = g_runtime.session() & 0xFFFF;
  if (session == 0) return;
  const uint64_t key = reinterpret_cast<uint64_t>(handle);
  const uint64_t value = reinterpret_cast<uint64_t>(stream) << 16 | session;
  if (streams_.Find(key) == value) return;
  // Not kept unless it is in the trace: the next call tries again.
  if (g_runtime.note_stream(key, reinterpret_cast<uint64_t>(stream)) &&
      !streams_.Insert(key, value)) {
    CountLoss(trace::LossKind::kHandleStreamTable);
  }
}

void HandleStreams::Forget(void* handle) {
  streams_.Erase(reinterpret_cast<uint64_t>(handle));
}

constinit HandleStreams g_handle_streams;

}  // namespace dltap::shim::tagging
