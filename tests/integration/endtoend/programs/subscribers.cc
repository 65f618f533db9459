// SPDX-License-Identifier: Apache-2.0
// subscribers v1|v2 first|later|meanwhile: a client of CUPTI's callbacks, by
// either function, before any work, after some, or while the first is done. It
// prints how many memsets it was told of, and says it where it was refused.
#include <cupti.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "tests/integration/endtoend/programs/device_work.h"

namespace {

constexpr int kMemsets = 300;
std::atomic<int> g_told{0};
bool g_is_v2 = false;

void CUPTIAPI OnCall(void*, CUpti_CallbackDomain, CUpti_CallbackId,
                     const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite == CUPTI_API_ENTER) ++g_told;
}

CUptiResult SubscribeV2(CUpti_SubscriberHandle* subscriber) {
  CUpti_SubscriberParams params{};
  char old[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.subscriberName = "subscribers";
  params.oldSubscriberName = old;
  params.oldSubscriberSize = sizeof(old);
  return cuptiSubscribe_v2(subscriber, OnCall, nullptr, &params);
}

CUpti_SubscriberHandle Subscribe() {
  CUpti_SubscriberHandle subscriber = nullptr;
  corners::Check(g_is_v2 ? SubscribeV2(&subscriber)
                         : cuptiSubscribe(&subscriber, OnCall, nullptr),
                 "subscribe");
  corners::Check(
      cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                          CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020),
      "enable");
  return subscriber;
}

// Between two of our own spans without a subscriber.
void Span(corners::DeviceWork& work) {
  g_told = 0;
  const CUpti_SubscriberHandle subscriber = Subscribe();
  work.Memsets(kMemsets);
  corners::DeviceWork::Wait();
  corners::Check(cuptiUnsubscribe(subscriber), "unsubscribe");
  std::printf("told of %d\n", g_told.load());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  g_is_v2 = std::strcmp(argv[1], "v2") == 0;
  CUpti_SubscriberHandle first = nullptr;
  if (std::strcmp(argv[2], "first") == 0) first = Subscribe();
  std::thread other;
  if (std::strcmp(argv[2], "meanwhile") == 0) {
    other = std::thread([&] { first = Subscribe(); });
  }
  corners::DeviceWork work;
  if (other.joinable()) other.join();
  work.Memsets(kMemsets);
  corners::DeviceWork::Wait();
  if (first != nullptr) {
    corners::Check(cuptiUnsubscribe(first), "unsubscribe");
    std::printf("told of %d\n", g_told.load());
  }
  for (int i = 0; i < 3; ++i) {
    Span(work);
    work.Memsets(kMemsets);
    corners::DeviceWork::Wait();
  }
  return 0;
}
