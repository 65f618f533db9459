// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory_blocks.h"

#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/memory/memory_calls.h"

namespace dltap::analyzer {
namespace {

// Follows what a process holds, call by call.
class BlockFinder {
 public:
  void Add(const MemoryCall& call) {
    if (call.action == MemoryAction::kTake) Follow(call);
    if (call.failed) return;
    if (call.action != MemoryAction::kAsk) unread_ = out_.failed.size();
    switch (call.action) {
      case MemoryAction::kTake: return Take(call);
      case MemoryAction::kGive: return Give(call);
      case MemoryAction::kMap: return Map(call);
      case MemoryAction::kUnmap: return Unmap(call);
      case MemoryAction::kAsk: return Read(call);
      case MemoryAction::kNone: return;
    }
  }

  MemoryBlocks Finish() { return std::move(out_); }

 private:
  // Physical memory, and by how many mappings and handles it is held.
  struct Physical {
    size_t block;
    int holders;
  };
  struct Mapping {
    uint64_t bytes;
    size_t physical;
  };

  // Requests of a thread that were refused, until it asks for something else.
  void Follow(const MemoryCall& call) {
    if (call.bytes == 0 || call.kind == MemoryKind::kPinned) return;
    std::vector<size_t>& refused = refused_[call.thread];
    const bool is_other =
        !refused.empty() && out_.failed[refused.front()].bytes != call.bytes;
    if (is_other) refused.clear();
    if (call.failed) {
      refused.push_back(out_.failed.size());
      FailedAllocation& failed = out_.failed.emplace_back();
      failed.at_ns = call.at_ns;
      failed.bytes = call.bytes;
      failed.thread = call.thread;
      failed.entry = call.entry;
      return;
    }
    for (const size_t i : refused) out_.failed[i].granted_later = true;
    refused.clear();
  }

  // What was free, since memory was last taken or given back.
  void Read(const MemoryCall& call) {
    for (; unread_ < out_.failed.size(); ++unread_) {
      out_.failed[unread_].free_bytes = call.bytes;
    }
  }

  void Take(const MemoryCall& call) {
    if (call.captured) {
      ++out_.captured;
      return;
    }
    if (call.bytes == 0) return;
    out_.from_pools |= call.from_pool;
    const size_t block = out_.blocks.size();
    if (call.object != 0) {
      objects_[call.object] = physical_.size();
      physical_.push_back({block, 1});
    } else if (call.address != 0) {
      const auto [held, is_free] = blocks_.try_emplace(call.address, block);
      if (!is_free) {  // the record of its end was lost
        out_.blocks[held->second].end_ns = call.at_ns;
        held->second = block;
      }
    } else {
      out_.has_addresses = false;
    }
    out_.blocks.push_back({call.address, call.bytes, call.at_ns, kStillHeld,
                           call.thread, DeviceId(), call.kind});
  }

  void Give(const MemoryCall& call) {
    if (call.captured) return;
    if (call.object != 0) {
      const auto found = objects_.find(call.object);
      if (found == objects_.end()) {
        ++out_.unmatched_frees;
        return;
      }
      const size_t physical = found->second;
      objects_.erase(found);
      LetGo(physical, call.at_ns);
      return;
    }
    if (call.address == 0) return;  // nothing, or a trim of a pool
    const auto found = blocks_.find(call.address);
    if (found == blocks_.end()) {
      ++out_.unmatched_frees;
      return;
    }
    out_.blocks[found->second].end_ns = call.at_ns;
    blocks_.erase(found);
  }

  void Map(const MemoryCall& call) {
    const auto found = objects_.find(call.object);
    if (found == objects_.end() || call.address == 0) return;
    ++physical_[found->second].holders;
    mappings_[call.address] = {static_cast<uint64_t>(call.bytes),
                               found->second};
    MemoryBlock& block = out_.blocks[physical_[found->second].block];
    if (block.address == 0) block.address = call.address;
  }

  void Unmap(const MemoryCall& call) {
    const uint64_t end = call.address + static_cast<uint64_t>(call.bytes);
    auto mapping = mappings_.lower_bound(call.address);
    while (mapping != mappings_.end() && mapping->first < end) {
      LetGo(mapping->second.physical, call.at_ns);
      mapping = mappings_.erase(mapping);
    }
  }

  void LetGo(size_t physical, int64_t at_ns) {
    Physical& memory = physical_[physical];
    if (--memory.holders == 0) out_.blocks[memory.block].end_ns = at_ns;
  }

  MemoryBlocks out_;
  absl::flat_hash_map<uint64_t, size_t> blocks_;   // held, by address
  absl::flat_hash_map<uint64_t, size_t> objects_;  // into physical_
  absl::flat_hash_map<ThreadId, std::vector<size_t>> refused_;  // out_.failed
  size_t unread_ = 0;  // of out_.failed: free memory is not known
  std::vector<Physical> physical_;
  std::map<uint64_t, Mapping> mappings_;  // by address
};

// Records of an importer: each says by itself what it is about.
MemoryBlocks BlocksOfEvents(const Process& process) {
  MemoryBlocks out;
  absl::flat_hash_map<std::pair<uint64_t, DeviceId>, size_t> held;
  for (const MemoryEvent& event : process.memory_events) {
    if (event.refused) {
      FailedAllocation& failed = out.failed.emplace_back();
      failed.at_ns = event.at_ns;
      failed.bytes = event.bytes;
      failed.thread = event.thread;
      failed.device = event.device;
      failed.held_bytes = event.reserved_bytes;
      failed.tensor_bytes = event.allocated_bytes;
      continue;
    }
    const std::pair key(event.address, event.device);
    if (event.bytes > 0) {
      const auto [old, is_free] = held.try_emplace(key, out.blocks.size());
      if (!is_free) {  // the record of its end was lost
        out.blocks[old->second].end_ns = event.at_ns;
        old->second = out.blocks.size();
      }
      out.blocks.push_back({event.address, event.bytes, event.at_ns, kStillHeld,
                            event.thread, event.device, event.kind});
      continue;
    }
    const auto found = held.find(key);
    if (found == held.end()) {
      ++out.unmatched_frees;
      continue;
    }
    out.blocks[found->second].end_ns = event.at_ns;
    held.erase(found);
  }
  return out;
}

}  // namespace

MemoryBlocks BlocksOf(const TraceModel& model, const Process& process) {
  if (!process.memory_events.empty()) return BlocksOfEvents(process);
  BlockFinder finder;
  for (const MemoryCall& call : MemoryCallsOf(model, process)) {
    finder.Add(call);
  }
  return finder.Finish();
}

}  // namespace dltap::analyzer
