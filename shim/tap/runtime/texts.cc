// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/texts.h"

#include <atomic>
#include <cstring>

#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/trace_output.h"
#include "shim/trace/encoder.h"

namespace dltap::shim {
namespace {

constexpr uint32_t kInternSlots = 1 << 14;
constexpr uint32_t kMaxProbes = 64;

constinit std::atomic<uint32_t> g_last_text{0};

// Open addressing by the text's hash; 64 bits of it stand for the text. A slot
// without an id of this epoch is claimed through its id, gets its hash, and
// then the id, after which neither changes in this epoch.
constexpr uint32_t kClaimed = ~uint32_t{0};
struct InternSlot {
  std::atomic<uint64_t> id;  // epoch << 32 | id; id 0: definition lost
  std::atomic<uint64_t> hash;
};
constinit InternSlot g_interned[kInternSlots];

template <typename Record, typename... Pieces>
bool Commit(const Record& record, const Pieces&... pieces) {
  MakeDefinitionRoom();
  return g_output.ring_file().definitions().Append(record, pieces...);
}

}  // namespace

uint32_t DefineText(const char* text, uint32_t length) {
  trace::TextRecord record = {};
  record.id = g_last_text.fetch_add(1, std::memory_order_relaxed) + 1;
  return Commit(record, trace::Piece::String(text, length)) ? record.id : 0;
}

uint32_t TryDefineText(const char* text, uint32_t length) {
  trace::TextRecord record = {};
  record.id = g_last_text.fetch_add(1, std::memory_order_relaxed) + 1;
  const auto string = trace::Piece::String(text, length);
  return g_output.ring_file().definitions().TryAppend(record, string)
             ? record.id
             : 0;
}

bool DefineKernelFunction(uint64_t function, const char* name,
                          uint32_t length) {
  trace::KernelFunctionRecord record = {};
  record.function = function;
  record.text = DefineText(name, length);
  return record.text != 0 && Commit(record);
}

bool DefineOperation(uint32_t id, uint16_t node_count,
                     std::span<const uint8_t> nodes) {
  trace::OperationRecord record = {};
  record.id = id;
  record.node_count = node_count;
  return Commit(record, trace::Piece::Raw(nodes.data(), nodes.size()));
}

uint32_t InternText(const char* text, uint32_t length) {
  if (length > kMaxTextBytes) {
    CountLoss(trace::LossKind::kTextTruncated);
    length = kMaxTextBytes;
  }
  const uint64_t hash = XXH3_64bits(text, length) | 1;
  const uint64_t epoch = DefinitionEpoch();
  for (uint32_t probe = 0; probe < kMaxProbes; ++probe) {
    InternSlot& slot = g_interned[(hash + probe) % kInternSlots];
    uint64_t id = slot.id.load(std::memory_order_acquire);
    const auto known = static_cast<uint32_t>(id);
    if (known == kClaimed) continue;
    if (id >> 32 == epoch) {
      if (slot.hash.load(std::memory_order_relaxed) != hash) continue;
      return known != 0 ? known : DefineText(text, length);
    }
    if (!slot.id.compare_exchange_strong(id, epoch << 32 | kClaimed,
                                         std::memory_order_acq_rel)) {
      continue;
    }
    slot.hash.store(hash, std::memory_order_relaxed);
    const uint32_t defined = DefineText(text, length);
    slot.id.store(epoch << 32 | defined, std::memory_order_release);
    return defined;
  }
  return DefineText(text, length);
}

bool TextsCrowd() { return g_output.ring_file().definitions().Crowds(); }

}  // namespace dltap::shim
