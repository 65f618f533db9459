// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/handle_streams.h"

#include "shim/tap/tagging/host.h"

namespace dltap::shim::tagging {

void HandleStreams::Set(void* handle, void* stream) {
  if (g_host.session == nullptr || g_host.note_stream == nullptr) return;
  const uint64_t session = g_host.session() & 0xFFFF;
  if (session == 0) return;
  const uint64_t key = reinterpret_cast<uint64_t>(handle);
  const uint64_t value = reinterpret_cast<uint64_t>(stream) << 16 | session;
  if (streams_.Find(key) == value) return;
  // Not kept unless it is in the trace: the next call tries again.
  if (g_host.note_stream(key, reinterpret_cast<uint64_t>(stream)) &&
      !streams_.Insert(key, value)) {
    CountLoss(trace::LossKind::kHandleStreamTable);
  }
}

void HandleStreams::Forget(void* handle) {
  streams_.Erase(reinterpret_cast<uint64_t>(handle));
}

constinit HandleStreams g_handle_streams;

}  // namespace dltap::shim::tagging
