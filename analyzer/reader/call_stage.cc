// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/call_stage.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "analyzer/model/simulation_marks.h"

namespace dltap::analyzer {
namespace {

using trace::CallView;
using trace::DecodeStatus;
using trace::LossKind;
using trace::SpecialSlot;

template <typename T>
T LoadAt(trace::Bytes payload, int16_t offset) {
  T value = 0;
  if (offset >= 0 && offset + sizeof(T) <= payload.size()) {
    std::memcpy(&value, &payload[offset], sizeof(T));
  }
  return value;
}

}  // namespace

void CallStage::Expect(const Chunk& chunk) {
  const size_t slots = chunk.bytes.size() / trace::kSlotBytes;
  slots_of_[chunk.thread_index] += slots;
  slots_ += slots;
}

void CallStage::MakeRoom(ThreadId thread, uint32_t thread_index) {
  if (thread.value() >= calls_.size()) calls_.resize(thread.value() + 1);
  std::vector<Call>& calls = calls_[thread.value()];
  if (calls.capacity() != 0) return;
  // The first thread's takes in the others' in the end.
  calls.reserve(thread.value() == 0 ? slots_ : slots_of_[thread_index]);
}

bool CallStage::Read(const Chunk& chunk) {
  const ThreadId thread = definitions_.ThreadOf(chunk.thread_index);
  if (!thread.known()) return false;
  MakeRoom(thread, chunk.thread_index);
  ++chunk_;
  trace::CallReader calls(chunk.bytes);
  CallView call;
  while (true) {
    switch (calls.Next(&call)) {
      case DecodeStatus::kOk: break;
      case DecodeStatus::kEndOfTrace: return true;
      default: return false;
    }
    if (call.entry_point >= trace::kFirstEntryPointId ||
        call.entry_point == 0) {
      AddCall(thread, call);
    } else {
      AddSpecial(thread, call);
    }
  }
}

// Hot path: no look-up by name, and none by hash unless it is a launch.
void CallStage::AddCall(ThreadId thread, const CallView& view) {
  const EntryLayout& layout = definitions_.Entry(view.entry_point);
  Call call{};
  call.begin_ns = timeline_.FromTicks(view.begin_ticks);
  call.end_ns =
      std::max(call.begin_ns,
               timeline_.FromTicks(view.begin_ticks + view.duration_ticks));
  call.thread = thread;
  call.entry = layout.entry;
  call.begin_ticks = view.begin_ticks;
  call.depth = view.flags & trace::kCallDepthMask;
  call.failed = (view.flags & trace::kCallFailed) != 0;
  call.capturing = (view.flags & trace::kCallCapturing) != 0;
  if ((view.flags & trace::kCallDelayed) != 0) {
    process_.delayed_calls.push_back(call.begin_ns);
  }
  ReadPayload(view, layout, call);
  if (!next_operations_.empty()) {
    TakeOperation(thread, layout, view, call);
  }
  last_ns_ = std::max(last_ns_, call.end_ns);
  if (!next_sites_.empty() && call.depth == 0) TakeSite(thread, view);
  InsertInOrder(call);
}

// A survey asks the arguments for nothing but ids that are missing.
void CallStage::ReadPayload(const CallView& view, const EntryLayout& layout,
                            Call& call) {
  if (layout.operation_offset >= 0) {
    call.operation = definitions_.Operation(
        LoadAt<uint32_t>(view.payload, layout.operation_offset));
  }
  if (ranges_kept_ == Keep::kLong) return;
  call.payload_offset = static_cast<uint32_t>(process_.payloads.size());
  call.payload_bytes = static_cast<uint8_t>(
      std::min<size_t>(layout.payload_bytes, view.payload.size()));
  const auto* payload = reinterpret_cast<const std::byte*>(view.payload.data());
  process_.payloads.insert(process_.payloads.end(), payload,
                           payload + call.payload_bytes);
  if (layout.function_offset >= 0) {
    const auto found =
        functions_.find(LoadAt<uint64_t>(view.payload, layout.function_offset));
    if (found != functions_.end()) call.function = found->second;
    if (function_offsets_.size() <= call.entry.value()) {
      function_offsets_.resize(call.entry.value() + 1, -1);
    }
    int16_t& offset = function_offsets_[call.entry.value()];
    if (offset < 0) offset = layout.function_offset;
  }
}

// A call that waited for a delay begins after its site was taken.
void CallStage::TakeSite(ThreadId thread, const CallView& call) {
  if (thread.value() >= next_sites_.size()) return;
  NextSite& next = next_sites_[thread.value()];
  const bool is_delayed = (call.flags & trace::kCallDelayed) != 0;
  if (next.site.known() && (next.ticks == call.begin_ticks ||
                            (is_delayed && next.ticks < call.begin_ticks))) {
    process_.call_sites.push_back({thread, call.begin_ticks, next.site});
  }
  if (call.begin_ticks >= next.ticks) next.site = {};
}

// It was told during the call: of a launch that began later the own one, and
// the record of the one before, got lost.
void CallStage::TakeOperation(ThreadId thread, const EntryLayout& layout,
                              const CallView& view, Call& call) {
  if (thread.value() >= next_operations_.size()) return;
  NextOperation& next = next_operations_[thread.value()];
  if (next.operation.known() && view.begin_ticks <= next.ticks &&
      layout.function_offset >= 0 &&
      LoadAt<uint64_t>(view.payload, layout.function_offset) == next.kernel) {
    call.operation = next.operation;
  }
  next = {};
}

// Calls come when they end, so each passes the children that came before it.
void CallStage::InsertInOrder(const Call& call) {
  std::vector<Call>& calls = calls_[call.thread.value()];
  auto at = calls.end();
  while (at != calls.begin() &&
         std::tie(call.begin_ns, call.depth) <
             std::tie((at - 1)->begin_ns, (at - 1)->depth)) {
    --at;
  }
  calls.insert(at, call);
}

void CallStage::Reread() {
  ranges_kept_ = Keep::kWithinChunks;
  for (std::vector<Call>& calls : calls_) calls.clear();
  process_.calls.clear();
  process_.payloads.clear();
  functions_.clear();
  pushed_.clear();
  started_.clear();
  next_sites_.clear();
  next_operations_.clear();
  next_details_.clear();
  slots_of_.clear();
  slots_ = 0;
}

void CallStage::AddSpecial(ThreadId thread, const CallView& call) {
  const int64_t at_ns = timeline_.FromTicks(call.begin_ticks);
  last_ns_ = std::max(last_ns_, at_ns);
  switch (static_cast<SpecialSlot>(call.entry_point)) {
    case SpecialSlot::kNvtxPush: return PushRange(thread, call);
    case SpecialSlot::kNvtxPop: return PopRange(thread, call);
    case SpecialSlot::kNvtxMark: {
      PushRange(thread, call);
      return PopRange(thread, call);
    }
    case SpecialSlot::kNvtxRangeStart: return StartRange(thread, call);
    case SpecialSlot::kNvtxRangeEnd: return EndRange(call);
    case SpecialSlot::kWindow:
      windows_.emplace_back(at_ns,
                            call.As<trace::WindowPayload>().recording != 0);
      return;
    case SpecialSlot::kLaunch: {
      const auto payload = call.As<trace::LaunchPayload>();
      process_.launches.push_back({.begin_ns = at_ns,
                                   .end_ns = at_ns,
                                   .correlation = payload.correlation,
                                   .external = payload.call_begin_ticks,
                                   .thread = thread});
      return;
    }
    case SpecialSlot::kSite: {
      if (thread.value() >= next_sites_.size()) {
        next_sites_.resize(thread.value() + 1);
      }
      next_sites_[thread.value()] = {
          call.begin_ticks,
          definitions_.Site(call.As<trace::SitePayload>().site)};
      return;
    }
    case SpecialSlot::kOperation: {
      const auto payload = call.As<trace::OperationPayload>();
      if (thread.value() >= next_operations_.size()) {
        next_operations_.resize(thread.value() + 1);
      }
      next_operations_[thread.value()] = {
          call.begin_ticks, payload.kernel,
          definitions_.Operation(payload.operation)};
      return;
    }
    case SpecialSlot::kNvtxDetails: return TakeDetails(thread, call);
    case SpecialSlot::kDefinitionLost:
    case SpecialSlot::kLoss:  // the cumulative Loss records count it
    case SpecialSlot::kHandleStream:
    case SpecialSlot::kCaptureBegin:
    case SpecialSlot::kCaptureEnd: return;
  }
  losses_.Add(LossKind::kUnknownRecord);
}

void CallStage::TakeDetails(ThreadId thread, const CallView& call) {
  const auto payload = call.As<trace::NvtxDetailsPayload>();
  if (thread.value() >= next_details_.size()) {
    next_details_.resize(thread.value() + 1);
  }
  Details texts;
  for (size_t i = 0; i < texts.size(); ++i) {
    texts[i] = definitions_.Text(payload.details[i]);
  }
  const auto [it, is_new] = details_.try_emplace(texts);
  if (is_new) it->second = definitions_.Joined(texts);
  next_details_[thread.value()] = {payload.text, it->second};
}

void CallStage::PushRange(ThreadId thread, const CallView& call) {
  const auto payload = call.As<trace::NvtxPayload>();
  OpenRange range = {timeline_.FromTicks(call.begin_ticks), thread,
                     definitions_.Text(payload.text),
                     definitions_.Text(payload.domain), chunk_};
  range.is_simulations =
      IsSimulationDomain(definitions_.TextOf(payload.domain));
  if (thread.value() < next_details_.size()) {
    NextDetail& next = next_details_[thread.value()];
    if (next.text == payload.text) range.detail = next.detail;
    next = NextDetail();
  }
  pushed_[{thread.value(), payload.domain}].push_back(range);
}

// A pop without a push belongs to a range that began before recording did.
void CallStage::PopRange(ThreadId thread, const CallView& call) {
  const auto payload = call.As<trace::NvtxPayload>();
  const auto found = pushed_.find({thread.value(), payload.domain});
  if (found == pushed_.end() || found->second.empty()) return;
  CloseRange(found->second.back(), timeline_.FromTicks(call.begin_ticks));
  found->second.pop_back();
}

void CallStage::StartRange(ThreadId thread, const CallView& call) {
  const auto payload = call.As<trace::NvtxRangePayload>();
  started_[payload.range_id] = {timeline_.FromTicks(call.begin_ticks), thread,
                                definitions_.Text(payload.text),
                                definitions_.Text(payload.domain), chunk_};
}

void CallStage::EndRange(const CallView& call) {
  const auto found = started_.find(call.As<trace::NvtxRangePayload>().range_id);
  if (found == started_.end()) return;
  CloseRange(found->second, timeline_.FromTicks(call.begin_ticks));
  started_.erase(found);
}

// A survey keeps what lies in several chunks, and the simulation's marks, which
// are counted; what is read again in parts, the rest.
void CallStage::CloseRange(const OpenRange& range, int64_t end_ns) {
  const bool is_surveyed = range.chunk != chunk_ || range.is_simulations;
  if (ranges_kept_ == (is_surveyed ? Keep::kWithinChunks : Keep::kLong)) return;
  Range closed{};
  closed.begin_ns = range.begin_ns;
  closed.end_ns = std::max(end_ns, range.begin_ns);
  closed.thread = range.thread;
  closed.name = range.name;
  closed.domain = range.domain;
  closed.detail = range.detail;
  closed.kind = RangeKind::kNvtx;
  process_.ranges.push_back(closed);
}

void CallStage::NameFunction(const trace::RecordView& record) {
  const auto fixed = record.As<trace::KernelFunctionRecord>();
  ++named_functions_;
  functions_[fixed.function] = definitions_.Text(fixed.text);
  first_names_.try_emplace(fixed.function, functions_[fixed.function]);
}

// A name may come after the calls: the collector learns it as it drains them.
// The handle had none before, so the first that it got is meant.
void CallStage::NameUnnamed(Call& call) const {
  if (call.function != TextId{}) return;
  if (call.entry.value() >= function_offsets_.size()) return;
  const int16_t offset = function_offsets_[call.entry.value()];
  if (offset < 0) return;
  const auto* payload = reinterpret_cast<const unsigned char*>(
      process_.payloads.data() + call.payload_offset);
  const auto found = first_names_.find(
      LoadAt<uint64_t>({payload, call.payload_bytes}, offset));
  if (found != first_names_.end()) call.function = found->second;
}

void CallStage::Finish() {
  for (std::vector<Call>& calls : calls_) {
    if (process_.calls.empty()) {
      process_.calls = std::move(calls);
    } else {
      process_.calls.insert(process_.calls.end(), calls.begin(), calls.end());
    }
    calls = {};
  }
  for (Call& call : process_.calls) NameUnnamed(call);
  if (ranges_kept_ == Keep::kWithinChunks) return;
  ++chunk_;
  for (const auto& [key, ranges] : pushed_) {
    for (const OpenRange& range : ranges) CloseRange(range, last_ns_);
  }
  for (const auto& [id, range] : started_) CloseRange(range, last_ns_);
}

}  // namespace dltap::analyzer
