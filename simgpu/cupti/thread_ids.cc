// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cupti/thread_ids.h"

#include <pthread.h>

#include <atomic>

#include "simgpu/base/thread_state.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<CUpti_ActivityThreadIdType> g_type{
    CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT};

}  // namespace

bool SetThreadIdType(CUpti_ActivityThreadIdType type) {
  if (type < CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT ||
      type >= CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE) {
    return false;
  }
  g_type = type;
  return true;
}

CUpti_ActivityThreadIdType ThreadIdType() { return g_type; }

uint32_t ClientThreadId() {
  return g_type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
             ? CurrentThread().thread_id
             : static_cast<uint32_t>(pthread_self());
}

}  // namespace dltap::simgpu
