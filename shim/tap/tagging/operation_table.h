// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_OPERATION_TABLE_H_
#define DLTAP_SHIM_TAP_TAGGING_OPERATION_TABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "opmodel/operation.h"
#include "shim/tap/tagging/late_table.h"
#include "shim/tap/tagging/spin_lock.h"
#include "shim/tap/tagging/tagging_runtime.h"
#include "vocabulary.h"

namespace dltap::shim::tagging {

// The nodes of one operation, encoded as the trace keeps them. Plain memory on
// the caller's stack: 8 KiB hold 40 convolutions or 200 pointwise nodes.
class OperationEncoder {
 public:
  // A trace::OperationNode and its trace::DimRecords; zero dims are left out.
  void Add(const opmodel::Operation& node);

  std::span<const uint8_t> bytes() const { return {bytes_.data(), size_}; }
  uint16_t node_count() const { return node_count_; }
  bool truncated() const { return truncated_; }

 private:
  uint32_t size_ = 0;
  uint16_t node_count_ = 0;
  bool truncated_ = false;
  std::array<uint8_t, 8192> bytes_;  // first size_ bytes are set
};

// Every different operation seen, once, for the life of the process. Ids begin
// at 1; 0 means unknown. Lookups take no lock.
class OperationTable {
 public:
  static constexpr uint32_t kEntries = 1u << 16;

  // The tables are there from now on.
  void Prepare() { tables_.Make(); }

  // The id of equal nodes. 0 when the table is full, or has `most` others
  // (counted).
  uint32_t Intern(const OperationEncoder& nodes, uint32_t most = kEntries);

  // `id`, when its definition is in the running session's trace or has just
  // been put there, else 0. Call it for what a record will refer to.
  uint32_t Defined(uint32_t id) {
    if (id == 0 || g_runtime.session == nullptr) return 0;
    const auto session = static_cast<uint16_t>(g_runtime.session());
    if (session == 0) return 0;
    Tables& tables = *tables_.Find();
    Entry& entry = tables.entries[id - 1];
    const bool is_there =
        entry.session.load(std::memory_order_relaxed) == session;
    return is_there ? id : Define(tables, entry, id, session);
  }

  // The class of the node that leads the operation (convolution, attention,
  // product, norm, else the first); a graph of several products is attention.
  specs::LayerClass ClassOf(uint32_t id) const;

 private:
  struct Entry {
    uint32_t offset;
    uint32_t bytes;
    uint16_t node_count;
    std::atomic<uint16_t> session;  // that holds the definition
  };
  static constexpr uint32_t kSlots = 1u << 17;
  static constexpr uint32_t kArenaBytes = 16u << 20;
  static constexpr uint32_t kMaxProbes = 512;

  struct Tables {
    // High half: of the hash; low half: id. 0: empty.
    std::array<std::atomic<uint64_t>, kSlots> slots;
    std::array<Entry, kEntries> entries;
    std::array<uint8_t, kArenaBytes> arena;
  };

  [[gnu::noinline]] static uint32_t Define(Tables& tables, Entry& entry,
                                           uint32_t id, uint16_t session);
  static uint32_t FindSlot(const Tables& tables, uint64_t hash,
                           std::span<const uint8_t> bytes, uint32_t* free_slot);
  uint32_t Append(Tables& tables, const OperationEncoder& nodes, uint32_t most);

  SpinLock lock_;
  uint32_t used_entries_ = 0;
  uint32_t used_bytes_ = 0;
  LateTable<Tables> tables_;  // there before the first id is given out
};

extern constinit OperationTable g_operations;

// Interns one operation, if the table has fewer than `most`, and defines it:
// what a legacy call packs.
uint32_t DefineOperation(const opmodel::Operation& operation,
                         uint32_t most = OperationTable::kEntries);

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_OPERATION_TABLE_H_
