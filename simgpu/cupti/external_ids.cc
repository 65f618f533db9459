// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/external_ids.h"

namespace dltap::simgpu {

bool ExternalIds::Push(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (!IsKind(kind)) return false;
  stacks_[kind].push_back(id);
  return true;
}

bool ExternalIds::Pop(CUpti_ExternalCorrelationKind kind, uint64_t* id) {
  if (!IsKind(kind) || stacks_[kind].empty()) return false;
  if (id != nullptr) *id = stacks_[kind].back();
  stacks_[kind].pop_back();
  return true;
}

ExternalIds& ExternalIds::OfThread() {
  // Leaked: calls may come after the thread's destructors have run.
  static thread_local ExternalIds& ids = *new ExternalIds;
  return ids;
}

}  // namespace dltap::simgpu
