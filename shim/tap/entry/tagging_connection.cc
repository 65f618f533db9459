// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/tagging_connection.h"

#include <cstring>

#include "shim/tap/entry/call_record.h"
#include "shim/tap/entry/nvtx_ranges.h"
#include "shim/tap/entry/real_functions.h"
#include "shim/tap/runtime/activity_hooks.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/texts.h"
#include "shim/tap/runtime/thread_state.h"
#include "shim/tap/tagging/cudnn_graphs.h"
#include "shim/tap/tagging/function_names.h"
#include "shim/tap/tagging/operation_table.h"
#include "shim/tap/tagging/tagging_runtime.h"
#include "tap_tables.h"

namespace dltap::shim {
namespace {

constexpr int8_t kNoFunction = -1;

// By counter index: where a launch's record keeps what it launches.
constinit int8_t g_function_offset[specs::kCounterCount];

bool NoteStream(uint64_t handle, uint64_t stream) {
  const trace::HandleStreamPayload payload = {handle, stream};
  return AppendSpecial(trace::SpecialSlot::kHandleStream, &payload,
                       sizeof(payload));
}

bool NoteOperation(uint64_t kernel, uint32_t operation) {
  const trace::OperationPayload payload = {kernel, operation, 0};
  return AppendSpecial(trace::SpecialSlot::kOperation, &payload,
                       sizeof(payload));
}

int8_t FunctionOffset(specs::EntryPoint entry) {
  const specs::ArgLayout& layout = specs::LayoutOf(entry);
  const specs::ArgField* fields = specs::FieldsOf(layout);
  for (int i = 0; i < layout.field_count; ++i) {
    if (fields[i].meaning == specs::Meaning::kKernel) {
      return static_cast<int8_t>(fields[i].offset);
    }
  }
  return kNoFunction;
}

void FindLaunches() {
  for (int i = 0; i < specs::kCounterCount; ++i) {
    g_function_offset[i] = FunctionOffset(specs::OfCounter(i));
  }
}

void StartTagging() {
  FindLaunches();
  tagging::g_operations.Prepare();
  tagging::g_cudnn_graphs.Prepare();
  tagging::g_function_names.Prepare();
  nvtx::PrepareNames();
}

void NameKernels(std::span<const trace::CallSlot> slots, uint32_t) {
  const uint32_t session = DefinitionEpoch();
  for (size_t i = 0; i < slots.size();) {
    const trace::CallSlot& slot = slots[i];
    i += slot.slots > 0 ? slot.slots : 1;
    if (slot.entry_point < trace::kFirstEntryPointId) continue;
    const auto entry = static_cast<specs::EntryPoint>(
        slot.entry_point - trace::kFirstEntryPointId);
    const int8_t offset = g_function_offset[specs::CounterOf(entry)];
    if (offset == kNoFunction) continue;
    uint64_t function;
    memcpy(&function, slot.payload + offset, sizeof(function));
    tagging::g_function_names.Note(function, session);
  }
}

}  // namespace

void ConnectTagging() {
  tagging::g_runtime = {
      .session = DefinitionEpoch,
      .define_operation = DefineOperation,
      .define_function = DefineKernelFunction,
      .note_stream = NoteStream,
      .note_operation = NoteOperation,
      .real = FindReal,
      .has_copies = HasCopies,
      .capture_begins = NoteCapture,
      .capture_began = CaptureBegan,
      .capture_ended = CaptureEnded,
      .lost = [](trace::LossKind loss) { CountLoss(loss); },
  };
  AddParticipant({StartTagging, nullptr, NameKernels, nullptr});
}

}  // namespace dltap::shim
