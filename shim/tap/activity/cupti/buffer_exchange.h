// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_BUFFER_EXCHANGE_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_BUFFER_EXCHANGE_H_

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shim/tap/activity/cupti/buffer_pool.h"
#include "shim/tap/activity/cupti/cupti_api.h"
#include "shim/tap/activity/cupti/tracing_session.h"

namespace dltap::shim::cupti {

// Activity buffers between CUPTI, us and another client. CUPTI may keep an
// empty buffer over a change of owners, so our callbacks stay registered. A
// request goes to the owner of CUPTI; records that land in a buffer of the
// other are copied to their owner.
class BufferExchange {
 public:
  // All outlive it.
  constexpr BufferExchange(const TracingSession* session, const CuptiApi* api,
                           BufferPool* pool)
      : session_(session), api_(api), pool_(*pool) {}

  // The first few buffers. False: no memory.
  bool Prepare() { return pool_.Prepare(); }
  // Collector: what has been delivered to us.
  BufferPool& pool() { return pool_; }
  // CUPTI has a buffer of ours.
  bool has_buffers_outside() const {
    return our_buffers_outside_.load(std::memory_order_relaxed) > 0;
  }
  bool has_staged() const {
    return staged_.load(std::memory_order_acquire) != nullptr;
  }
  // Any buffer has come back so far.
  uint64_t completions() const {
    return completions_.load(std::memory_order_relaxed);
  }
  // CUPTI has asked for one, of whomever.
  uint64_t requests() const {
    return requests_.load(std::memory_order_relaxed);
  }
  // CUPTI has been told that buffers are full of zeros: a client's have to be.
  void PromiseZeros() { zeros_.store(true, std::memory_order_release); }

  // ---- Any thread: the client
  void SetClient(CUpti_BuffersCallbackRequestFunc requested,
                 CUpti_BuffersCallbackCompleteFunc completed);
  bool has_client() const {
    return client_completed_.load(std::memory_order_acquire) != nullptr;
  }
  // The client flushes: it gets a buffer that was asked of it and not used.
  void GiveStagedBack();

  // ---- Collector
  // The client has switched on a kind: asks it for a buffer where CUPTI will
  // not, since it still has one of ours. Not on the client's thread, which may
  // hold the lock that its callback takes.
  void Stage();

  // ---- Any thread: CUPTI. `is_clients`: the client has CUPTI now. `is_ours`:
  // we have, and the client has nothing switched on.
  void Requested(bool is_clients, uint8_t** buffer, size_t* size,
                 size_t* max_records);
  struct Completion {
    CUcontext context;
    uint32_t stream;
    uint8_t* buffer;
    size_t size;
    size_t valid_bytes;
  };
  void Completed(bool is_clients, bool is_ours, const Completion& completion);

 private:
  // A buffer that was asked of the client for what lands in ours.
  struct Staged {
    uint8_t* data;
    size_t bytes;
  };

  size_t Fitting(uint8_t* data, size_t bytes, size_t room) const;
  Staged AskClient();
  Staged TakeStaged();
  void CompleteOurs(bool is_clients, const Completion& completion);
  void CopyToClient(CUcontext context, uint8_t* data, size_t bytes);
  bool CopyToUs(uint8_t* data, size_t bytes);
  void CountDiscarded();

  const TracingSession* session_;
  const CuptiApi* api_;
  BufferPool& pool_;
  std::atomic<CUpti_BuffersCallbackRequestFunc> client_requested_{nullptr};
  std::atomic<CUpti_BuffersCallbackCompleteFunc> client_completed_{nullptr};
  std::atomic<int32_t> our_buffers_outside_{0};
  std::atomic<uint64_t> completions_{0};
  std::atomic<uint64_t> requests_{0};
  std::atomic<bool> zeros_{false};
  // The staged one lies in the ring until somebody takes it; a place is used
  // again four stagings later.
  std::array<Staged, 4> ring_{};
  uint32_t ring_next_ = 0;  // collector
  std::atomic<const Staged*> staged_{nullptr};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_BUFFER_EXCHANGE_H_
