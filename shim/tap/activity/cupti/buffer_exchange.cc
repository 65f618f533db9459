// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/buffer_exchange.h"

#include <cstring>

namespace dltap::shim::cupti {

void BufferExchange::SetClient(CUpti_BuffersCallbackRequestFunc requested,
                               CUpti_BuffersCallbackCompleteFunc completed) {
  client_requested_.store(requested, std::memory_order_relaxed);
  client_completed_.store(completed, std::memory_order_release);
}

void BufferExchange::Requested(bool is_clients, uint8_t** buffer, size_t* size,
                               size_t* max_records) {
  const auto requested = client_requested_.load(std::memory_order_acquire);
  if (is_clients && requested != nullptr) {
    requested(buffer, size, max_records);
    return;
  }
  *buffer = pool_.Take();
  *size = *buffer != nullptr ? BufferPool::kBufferBytes : 0;
  *max_records = 0;  // as many as fit
  if (*buffer == nullptr) {
    session_->runtime().lost(trace::LossKind::kActivityBuffer, 1);
  } else {
    our_buffers_outside_.fetch_add(1, std::memory_order_relaxed);
  }
}

void BufferExchange::Completed(bool is_clients, bool is_ours,
                               const Completion& completion) {
  uint8_t* buffer = completion.buffer;
  size_t valid_bytes = completion.valid_bytes;
  if (pool_.Owns(buffer)) {
    our_buffers_outside_.fetch_sub(1, std::memory_order_relaxed);
    const bool goes_to_client = is_clients && valid_bytes > 0;
    if (goes_to_client) CopyToClient(completion.context, buffer, valid_bytes);
    pool_.Deliver(buffer, goes_to_client ? 0 : valid_bytes);
    return;
  }
  const auto completed = client_completed_.load(std::memory_order_acquire);
  if (completed == nullptr) return;
  if (is_ours && valid_bytes > 0) {
    // The client gave it away before it left; what is in it now is ours.
    uint8_t* copy = pool_.Take();
    if (copy != nullptr && valid_bytes <= BufferPool::kBufferBytes) {
      memcpy(copy, buffer, valid_bytes);
      pool_.Deliver(copy, valid_bytes);
      valid_bytes = 0;
    }
  }
  completed(completion.context, completion.stream, buffer, completion.size,
            valid_bytes);
}

void BufferExchange::GiveStagedBack() {
  if (staged_ != nullptr) CompleteStaged(nullptr, nullptr, 0);
}

// PyTorch's profiler flushes only if it has been asked for a buffer, which does
// not happen while CUPTI still has one of ours.
void BufferExchange::Stage() {
  const auto requested = client_requested_.load(std::memory_order_acquire);
  if (staged_ != nullptr || requested == nullptr ||
      our_buffers_outside_.load(std::memory_order_relaxed) <= 0) {
    return;
  }
  size_t max_records = 0;
  requested(&staged_, &staged_bytes_, &max_records);
}

void BufferExchange::CompleteStaged(CUcontext context, const uint8_t* data,
                                    size_t bytes) {
  const auto completed = client_completed_.load(std::memory_order_acquire);
  if (staged_ == nullptr || completed == nullptr) return;
  uint8_t* buffer = staged_;
  staged_ = nullptr;
  if (bytes > 0) memcpy(buffer, data, bytes);
  completed(context, 0, buffer, staged_bytes_, bytes);
}

// Whole records, into as many of the client's buffers as they need.
void BufferExchange::CopyToClient(CUcontext context, uint8_t* data,
                                  size_t valid_bytes) {
  const auto requested = client_requested_.load(std::memory_order_acquire);
  if (requested == nullptr) return;
  CUpti_Activity* record = nullptr;
  size_t begin = 0;
  size_t fits = 0;
  for (bool more = true; more;) {
    size_t max_records = 0;
    if (staged_ == nullptr) requested(&staged_, &staged_bytes_, &max_records);
    if (staged_ == nullptr) return;
    more = api_->activity_get_next_record(data, valid_bytes, &record) ==
           CUPTI_SUCCESS;
    const size_t end =
        more ? static_cast<size_t>(reinterpret_cast<uint8_t*>(record) - data)
             : valid_bytes;
    if (end - begin > staged_bytes_) {
      CompleteStaged(context, data + begin, fits - begin);
      begin = fits;
    }
    fits = end;
  }
  if (staged_ == nullptr) {
    size_t max_records = 0;
    requested(&staged_, &staged_bytes_, &max_records);
  }
  if (fits - begin <= staged_bytes_) {
    CompleteStaged(context, data + begin, fits - begin);
  }
}

}  // namespace dltap::shim::cupti
