// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/record_references.h"

#include <cstddef>
#include <cstring>

#include "shim/specs/arg_layout.h"
#include "shim/trace/records.h"
#include "tap_tables.h"

namespace dltap::shim {
namespace {

using trace::RecordKind;

// By counter index: offsets in the payload, -1: no such argument.
struct CallArguments {
  int8_t operation;
  int8_t kernel;
};
constinit CallArguments g_arguments[specs::kCounterCount];

// A field of a kind of record that holds an id.
struct IdField {
  RecordKind record;
  RecordKind target;
  uint16_t offset;
  uint16_t width;
};

constexpr IdField kIdFields[] = {
    {RecordKind::kKernelFunction, RecordKind::kText,
     offsetof(trace::KernelFunctionRecord, text), 4},
    {RecordKind::kKernelVariant, RecordKind::kText,
     offsetof(trace::KernelVariantRecord, text), 4},
    {RecordKind::kKernel, RecordKind::kKernelVariant,
     offsetof(trace::KernelRecord, variant), 4},
    {RecordKind::kKernel, RecordKind::kStream,
     offsetof(trace::KernelRecord, stream), 4},
    {RecordKind::kKernel, RecordKind::kGraphNode,
     offsetof(trace::KernelRecord, graph_node), 8},
    {RecordKind::kMemcpy, RecordKind::kStream,
     offsetof(trace::MemcpyRecord, stream), 4},
    {RecordKind::kMemcpy, RecordKind::kGraphNode,
     offsetof(trace::MemcpyRecord, graph_node), 8},
    {RecordKind::kMemset, RecordKind::kStream,
     offsetof(trace::MemsetRecord, stream), 4},
    {RecordKind::kMemset, RecordKind::kGraphNode,
     offsetof(trace::MemsetRecord, graph_node), 8},
    {RecordKind::kLaunchApi, RecordKind::kThread,
     offsetof(trace::LaunchApiRecord, thread), 4},
    {RecordKind::kGraphNode, RecordKind::kGraphNode,
     offsetof(trace::GraphNodeRecord, original_node), 8},
    {RecordKind::kSync, RecordKind::kStream,
     offsetof(trace::SyncRecord, stream), 4},
    {RecordKind::kCpuSample, RecordKind::kThread,
     offsetof(trace::CpuSampleRecord, thread), 4},
    {RecordKind::kSwitches, RecordKind::kThread,
     offsetof(trace::SwitchesRecord, thread), 4},
    {RecordKind::kThreadFrames, RecordKind::kThread,
     offsetof(trace::ThreadFramesRecord, thread), 4},
    {RecordKind::kThreadFrames, RecordKind::kSite,
     offsetof(trace::ThreadFramesRecord, site), 4},
    {RecordKind::kCallCount, RecordKind::kEntryPoint,
     offsetof(trace::CallCountRecord, entry_point), 4},
};

// The id that a definition gives: where it stands in the record.
constexpr IdField kDefinedIds[] = {
    {RecordKind::kEntryPoint, RecordKind::kEntryPoint,
     offsetof(trace::EntryPointRecord, id), 2},
    {RecordKind::kText, RecordKind::kText, offsetof(trace::TextRecord, id), 4},
    {RecordKind::kKernelFunction, RecordKind::kKernelFunction,
     offsetof(trace::KernelFunctionRecord, function), 8},
    {RecordKind::kKernelVariant, RecordKind::kKernelVariant,
     offsetof(trace::KernelVariantRecord, id), 4},
    {RecordKind::kStream, RecordKind::kStream,
     offsetof(trace::StreamRecord, id), 4},
    {RecordKind::kThread, RecordKind::kThread,
     offsetof(trace::ThreadRecord, index), 4},
    {RecordKind::kOperation, RecordKind::kOperation,
     offsetof(trace::OperationRecord, id), 4},
    {RecordKind::kGraphNode, RecordKind::kGraphNode,
     offsetof(trace::GraphNodeRecord, node), 8},
    {RecordKind::kSite, RecordKind::kSite, offsetof(trace::SiteRecord, id), 4},
};

uint64_t LoadId(const uint8_t* at, uint32_t width) {
  uint64_t id = 0;
  memcpy(&id, at, width);
  return id;
}

RecordKind KindOf(const uint8_t* record) {
  trace::RecordHeader header;
  memcpy(&header, record, sizeof(header));
  return static_cast<RecordKind>(header.kind);
}

// Gathers references, without those that mean none.
struct Gatherer {
  Reference* out;
  int count = 0;

  void Add(RecordKind kind, void* place, uint32_t width) {
    auto* at = static_cast<uint8_t*>(place);
    const uint64_t id = LoadId(at, width);
    if (id == 0 && kind != RecordKind::kThread) return;
    if (width == 4 && id == trace::kNoIndex) return;
    out[count++] = {{kind, id}, at, width};
  }
};

int8_t OffsetOf(specs::EntryPoint entry, specs::Meaning meaning) {
  const specs::ArgLayout& layout = specs::LayoutOf(entry);
  const specs::ArgField* fields = specs::FieldsOf(layout);
  for (int i = 0; i < layout.field_count; ++i) {
    if (fields[i].meaning == meaning) {
      return static_cast<int8_t>(fields[i].offset);
    }
  }
  return -1;
}

}  // namespace

void FindReferences() {
  for (int i = 0; i < specs::kCounterCount; ++i) {
    const specs::EntryPoint entry = specs::OfCounter(i);
    g_arguments[i] = {OffsetOf(entry, specs::Meaning::kOperation),
                      OffsetOf(entry, specs::Meaning::kKernel)};
  }
}

int ReferencesOf(uint8_t* record, References& out) {
  Gatherer gatherer{out};
  const RecordKind kind = KindOf(record);
  for (const IdField& field : kIdFields) {
    if (field.record != kind) continue;
    gatherer.Add(field.target, record + field.offset, field.width);
  }
  return gatherer.count;
}

int ReferencesOf(trace::CallSlot* call, References& out) {
  Gatherer gatherer{out};
  if (call->entry_point < trace::kFirstEntryPointId) {
    switch (static_cast<trace::SpecialSlot>(call->entry_point)) {
      case trace::SpecialSlot::kNvtxDetails:
        for (size_t at = 0; at < sizeof(trace::NvtxDetailsPayload);
             at += sizeof(uint32_t)) {
          gatherer.Add(RecordKind::kText, call->payload + at, 4);
        }
        break;
      case trace::SpecialSlot::kNvtxPush:
      case trace::SpecialSlot::kNvtxPop:
      case trace::SpecialSlot::kNvtxMark:
      case trace::SpecialSlot::kNvtxRangeStart:
      case trace::SpecialSlot::kNvtxRangeEnd:
        static_assert(offsetof(trace::NvtxPayload, domain) ==
                      offsetof(trace::NvtxRangePayload, domain));
        gatherer.Add(RecordKind::kText,
                     call->payload + offsetof(trace::NvtxPayload, text), 4);
        gatherer.Add(RecordKind::kText,
                     call->payload + offsetof(trace::NvtxPayload, domain), 4);
        break;
      case trace::SpecialSlot::kSite:
        gatherer.Add(RecordKind::kSite,
                     call->payload + offsetof(trace::SitePayload, site), 4);
        break;
      case trace::SpecialSlot::kOperation:
        gatherer.Add(
            RecordKind::kOperation,
            call->payload + offsetof(trace::OperationPayload, operation), 4);
        break;
      default: break;
    }
    return gatherer.count;
  }
  gatherer.Add(RecordKind::kEntryPoint, &call->entry_point, 2);
  const auto entry = static_cast<specs::EntryPoint>(call->entry_point -
                                                    trace::kFirstEntryPointId);
  const CallArguments& arguments = g_arguments[specs::CounterOf(entry)];
  if (arguments.operation >= 0) {
    gatherer.Add(RecordKind::kOperation, call->payload + arguments.operation,
                 4);
  }
  if (arguments.kernel >= 0) {
    gatherer.Add(RecordKind::kKernelFunction, call->payload + arguments.kernel,
                 8);
  }
  return gatherer.count;
}

bool KeyOf(std::span<const uint8_t> record, DefinitionKey* key) {
  const RecordKind kind = KindOf(record.data());
  for (const IdField& field : kDefinedIds) {
    if (field.record != kind) continue;
    *key = {kind, LoadId(record.data() + field.offset, field.width)};
    return true;
  }
  return false;
}

}  // namespace dltap::shim
