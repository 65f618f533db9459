// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/buffer_exchange.h"

#include <cstring>

namespace dltap::shim::cupti {

// ---- The client ------------------------------------------------------------

void BufferExchange::SetClient(CUpti_BuffersCallbackRequestFunc requested,
                               CUpti_BuffersCallbackCompleteFunc completed) {
  client_requested_.store(requested, std::memory_order_relaxed);
  client_completed_.store(completed, std::memory_order_release);
}

BufferExchange::Staged BufferExchange::AskClient() {
  const auto requested = client_requested_.load(std::memory_order_acquire);
  Staged staged = {nullptr, 0};
  size_t max_records = 0;
  if (requested != nullptr) {
    requested(&staged.data, &staged.bytes, &max_records);
  }
  return staged;
}

BufferExchange::Staged BufferExchange::TakeStaged() {
  const Staged* staged = staged_.exchange(nullptr, std::memory_order_acq_rel);
  return staged != nullptr ? *staged : Staged{nullptr, 0};
}

// PyTorch's profiler flushes only if it has been asked for a buffer, which does
// not happen while CUPTI still has one of ours.
void BufferExchange::Stage() {
  if (has_staged() || !has_buffers_outside()) return;
  Staged& place = ring_[ring_next_++ % ring_.size()];
  place = AskClient();
  if (place.data != nullptr) staged_.store(&place, std::memory_order_release);
}

void BufferExchange::GiveStagedBack() {
  const auto completed = client_completed_.load(std::memory_order_acquire);
  if (completed == nullptr) return;
  const Staged staged = TakeStaged();
  if (staged.data != nullptr) {
    completed(nullptr, 0, staged.data, staged.bytes, 0);
  }
}

// ---- CUPTI's threads -------------------------------------------------------

void BufferExchange::Requested(bool is_clients, uint8_t** buffer, size_t* size,
                               size_t* max_records) {
  requests_.fetch_add(1, std::memory_order_relaxed);
  const auto requested = client_requested_.load(std::memory_order_acquire);
  if (is_clients && requested != nullptr) {
    requested(buffer, size, max_records);
    // As CUPTI would have done.
    if (zeros_.load(std::memory_order_acquire) && *buffer != nullptr) {
      memset(*buffer, 0, *size);
    }
    return;
  }
  const BufferPool::Taken taken = pool_.Take();
  *buffer = taken.data;
  *size = taken.bytes;
  *max_records = 0;  // as many as fit
  our_buffers_outside_.fetch_add(1, std::memory_order_relaxed);
}

void BufferExchange::Completed(bool is_clients, bool is_ours,
                               const Completion& completion) {
  completions_.fetch_add(1, std::memory_order_relaxed);
  if (pool_.Owns(completion.buffer)) {
    CompleteOurs(is_clients, completion);
    return;
  }
  const auto completed = client_completed_.load(std::memory_order_acquire);
  if (completed == nullptr) return;
  // The client gave it away before it left; what is in it now is ours.
  const bool taken = is_ours && completion.valid_bytes > 0 &&
                     CopyToUs(completion.buffer, completion.valid_bytes);
  completed(completion.context, completion.stream, completion.buffer,
            completion.size, taken ? 0 : completion.valid_bytes);
}

void BufferExchange::CountDiscarded() {
  session_->runtime().lost(trace::LossKind::kActivityBuffer, 1);
}

void BufferExchange::CompleteOurs(bool is_clients,
                                  const Completion& completion) {
  our_buffers_outside_.fetch_sub(1, std::memory_order_relaxed);
  size_t valid_bytes = completion.valid_bytes;
  if (is_clients && valid_bytes > 0) {
    CopyToClient(completion.context, completion.buffer, valid_bytes);
    valid_bytes = 0;
  }
  const auto delivery = pool_.Deliver(completion.buffer, valid_bytes);
  if (delivery == BufferPool::Delivery::kDiscarded) CountDiscarded();
}

// How many bytes of whole records fit into `room`.
size_t BufferExchange::Fitting(uint8_t* data, size_t bytes, size_t room) const {
  if (bytes <= room) return bytes;
  CUpti_Activity* record = nullptr;
  size_t fits = 0;
  while (api_->activity_get_next_record(data, bytes, &record) ==
         CUPTI_SUCCESS) {
    const auto begin =
        static_cast<size_t>(reinterpret_cast<uint8_t*>(record) - data);
    if (begin > room) break;
    fits = begin;
  }
  return fits;
}

// Into as many of the client's buffers as the records need.
void BufferExchange::CopyToClient(CUcontext context, uint8_t* data,
                                  size_t bytes) {
  const auto completed = client_completed_.load(std::memory_order_acquire);
  while (bytes > 0 && completed != nullptr) {
    Staged staged = TakeStaged();
    if (staged.data == nullptr) staged = AskClient();
    if (staged.data == nullptr) return;
    const size_t part = Fitting(data, bytes, staged.bytes);
    memcpy(staged.data, data, part);
    completed(context, 0, staged.data, staged.bytes, part);
    if (part == 0) return;
    data += part;
    bytes -= part;
  }
}

// The client's buffers may be larger than ours.
bool BufferExchange::CopyToUs(uint8_t* data, size_t bytes) {
  while (bytes > 0) {
    const size_t part = Fitting(data, bytes, BufferPool::kBufferBytes);
    if (part == 0) return false;
    const BufferPool::Taken copy = pool_.Take();
    // The reserve's are too small.
    const size_t copied = part <= copy.bytes ? part : 0;
    memcpy(copy.data, data, copied);
    const auto delivery = pool_.Deliver(copy.data, copied);
    if (copied == 0 || delivery == BufferPool::Delivery::kDiscarded) {
      CountDiscarded();
    }
    data += part;
    bytes -= part;
  }
  return true;
}

}  // namespace dltap::shim::cupti
