// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/operation_table.h"

#include <bit>
#include <cstring>

#include "shim/tap/tagging/tagging_runtime.h"
#include "shim/trace/records.h"

namespace dltap::shim::tagging {
namespace {

uint64_t HashOf(std::span<const uint8_t> bytes) {
  uint64_t hash = 0x9E3779B97F4A7C15ull ^ bytes.size();
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    memcpy(&word, bytes.data() + i, sizeof(word));
    hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  for (; i < bytes.size(); ++i) hash = (hash ^ bytes[i]) * 0x100000001B3ull;
  hash *= 0xD6E8FEB86659FD93ull;
  return hash ^ (hash >> 29);
}

}  // namespace

void OperationEncoder::Add(const opmodel::Operation& node) {
  static_assert(static_cast<int>(opmodel::Dim::kCount) <= 64);
  uint64_t used = 0;  // bit per dim that is not 0
  for (size_t dim = 0; dim < node.dims.size(); ++dim) {
    used |= uint64_t{node.dims[dim] != 0} << dim;
  }
  const auto dims = static_cast<uint8_t>(std::popcount(used));
  const uint32_t bytes = static_cast<uint32_t>(sizeof(trace::OperationNode) +
                                               dims * sizeof(trace::DimRecord));
  if (size_ + bytes > bytes_.size()) {
    truncated_ = true;
    return;
  }
  const trace::OperationNode head = {
      .kind = static_cast<uint16_t>(node.kind),
      .cell = static_cast<uint8_t>(node.cell),
      .storage = static_cast<uint8_t>(node.storage),
      .math = static_cast<uint8_t>(node.math),
      .dim_count = dims,
      .reserved = {}};
  uint8_t* at = bytes_.data() + size_;
  memcpy(at, &head, sizeof(head));
  at += sizeof(head);
  for (; used != 0; used &= used - 1, at += sizeof(trace::DimRecord)) {
    const uint64_t dim = std::countr_zero(used);
    memcpy(at, &dim, sizeof(dim));  // the dim in its lowest byte, zeros above
    memcpy(at + sizeof(dim), &node.dims[dim], sizeof(int64_t));
  }
  size_ += bytes;
  ++node_count_;
}

uint32_t OperationTable::FindSlot(const Tables& tables, uint64_t hash,
                                  std::span<const uint8_t> bytes,
                                  uint32_t* free_slot) {
  for (uint32_t i = 0; i < kMaxProbes; ++i) {
    const uint32_t index = static_cast<uint32_t>(hash + i) & (kSlots - 1);
    const uint64_t word = tables.slots[index].load(std::memory_order_acquire);
    if (word == 0) {
      if (free_slot != nullptr) *free_slot = index;
      return 0;
    }
    if ((word >> 32) != (hash >> 32)) continue;
    const auto id = static_cast<uint32_t>(word);
    const Entry& entry = tables.entries[id - 1];
    if (entry.bytes == bytes.size() &&
        memcmp(&tables.arena[entry.offset], bytes.data(), bytes.size()) == 0) {
      return id;
    }
  }
  return 0;
}

uint32_t OperationTable::Append(Tables& tables, const OperationEncoder& nodes,
                                uint32_t most) {
  const std::span<const uint8_t> bytes = nodes.bytes();
  if (used_entries_ >= most || used_bytes_ + bytes.size() > kArenaBytes) {
    return 0;
  }
  Entry& entry = tables.entries[used_entries_];
  entry.offset = used_bytes_;
  entry.bytes = static_cast<uint32_t>(bytes.size());
  entry.node_count = nodes.node_count();
  memcpy(&tables.arena[used_bytes_], bytes.data(), bytes.size());
  used_bytes_ += entry.bytes;
  return ++used_entries_;
}

uint32_t OperationTable::Intern(const OperationEncoder& nodes, uint32_t most) {
  if (nodes.node_count() == 0) return 0;
  const uint64_t hash = HashOf(nodes.bytes());
  Tables* tables = tables_.Make();
  if (tables == nullptr) {
    CountLoss(trace::LossKind::kObjectTableFull);
    return 0;
  }
  const uint32_t known = FindSlot(*tables, hash, nodes.bytes(), nullptr);
  if (known != 0) return known;
  uint32_t id = 0;
  if (SpinGuard guard(lock_); guard) {
    uint32_t free_slot = kSlots;
    id = FindSlot(*tables, hash, nodes.bytes(), &free_slot);
    if (id == 0 && free_slot != kSlots) {
      id = Append(*tables, nodes, most);
      if (id != 0) {
        const uint64_t word = (hash >> 32 << 32) | id;
        tables->slots[free_slot].store(word, std::memory_order_release);
      }
    }
  }
  if (id == 0) CountLoss(trace::LossKind::kObjectTableFull);
  return id;
}

uint32_t OperationTable::Define(Tables& tables, Entry& entry, uint32_t id,
                                uint16_t session) {
  // Two threads may both define it; the definitions are equal.
  if (!g_runtime.define_operation(id, entry.node_count,
                                  {&tables.arena[entry.offset], entry.bytes})) {
    return 0;
  }
  entry.session.store(session, std::memory_order_relaxed);
  return id;
}

specs::LayerClass OperationTable::ClassOf(uint32_t id) const {
  using specs::LayerClass;
  if (id == 0) return LayerClass::kUnattributed;
  constexpr LayerClass kLeading[] = {LayerClass::kConv, LayerClass::kAttention,
                                     LayerClass::kGemm, LayerClass::kNorm};
  const Tables& tables = *tables_.Find();
  const Entry& entry = tables.entries[id - 1];
  uint32_t counts[specs::Words<LayerClass>::kCount] = {};
  LayerClass first = LayerClass::kUnattributed;
  const uint8_t* at = &tables.arena[entry.offset];
  for (uint16_t i = 0; i < entry.node_count; ++i) {
    trace::OperationNode node;
    memcpy(&node, at, sizeof(node));
    at += sizeof(node) + node.dim_count * sizeof(trace::DimRecord);
    const LayerClass of_node = specs::Words<specs::OpKind>::kClasses[node.kind];
    ++counts[static_cast<int>(of_node)];
    if (i == 0) first = of_node;
  }
  for (const LayerClass leading : kLeading) {
    const uint32_t count = counts[static_cast<int>(leading)];
    if (count == 0) continue;
    return leading == LayerClass::kGemm && count > 1 ? LayerClass::kAttention
                                                     : leading;
  }
  return first;
}

constinit OperationTable g_operations;

uint32_t DefineOperation(const opmodel::Operation& operation, uint32_t most) {
  OperationEncoder encoder;
  encoder.Add(operation);
  return g_operations.Defined(g_operations.Intern(encoder, most));
}

}  // namespace dltap::shim::tagging
