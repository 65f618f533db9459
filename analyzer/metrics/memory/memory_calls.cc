// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory_calls.h"

#include <algorithm>
#include <string_view>

#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

using specs::Kind;

// What a function does with memory, found once.
struct MemoryFunction {
  MemoryAction action = MemoryAction::kNone;
  MemoryKind kind = MemoryKind::kDevice;
  bool has_stream = false;
  bool is_pooled = false;
};

MemoryFunction FunctionOf(const EntryPoint& entry) {
  if (entry.info == nullptr) return {};
  MemoryFunction out;
  switch (entry.info->kind) {
    case Kind::kMalloc: out.action = MemoryAction::kTake; break;
    case Kind::kFree: out.action = MemoryAction::kGive; break;
    case Kind::kHostMalloc:
      out = {MemoryAction::kTake, MemoryKind::kPinned};
      break;
    case Kind::kHostFree:
      out = {MemoryAction::kGive, MemoryKind::kPinned};
      break;
    default: break;
  }
  if (entry.symbol == "cuMemMap") out.action = MemoryAction::kMap;
  if (entry.symbol == "cuMemUnmap") out.action = MemoryAction::kUnmap;
  if (entry.symbol == "cudaMemGetInfo" || entry.symbol == "cuMemGetInfo_v2") {
    out.action = MemoryAction::kAsk;
  }
  out.is_pooled = out.action == MemoryAction::kTake &&
                  entry.symbol.find("Async") != std::string::npos;
  if (entry.symbol.find("Managed") != std::string::npos) {
    out.kind = MemoryKind::kManaged;
  }
  for (const ArgLayout& arg : entry.args) {
    out.has_stream |= arg.meaning == Meaning::kStream;
  }
  return out;
}

MemoryCall CallFrom(const TraceModel& model, const Process& process,
                    const Call& call, const MemoryFunction& function) {
  const EntryPoint& entry = model.entry_points[call.entry.value()];
  MemoryCall out{};
  out.at_ns = call.end_ns;
  out.action = function.action;
  out.kind = function.kind;
  out.failed = call.failed;
  out.captured = call.capturing && function.has_stream;
  out.from_pool = function.is_pooled;
  out.thread = call.thread;
  out.entry = call.entry;
  // The address may be somebody else's again before the call returns.
  const bool gives = function.action == MemoryAction::kGive ||
                     function.action == MemoryAction::kUnmap;
  if (gives) out.at_ns = call.begin_ns;
  bool has_bytes = false;
  bool answered = false;
  int64_t bytes = 1;
  for (size_t i = 0; i < entry.args.size(); ++i) {
    const auto value = IntArg(entry, process, call, i);
    if (!value) continue;
    const Meaning meaning = entry.args[i].meaning;
    if (function.action == MemoryAction::kAsk) {
      if (entry.args[i].name != "free") continue;
      out.bytes = *value;
      answered = true;
      continue;
    }
    if (meaning == Meaning::kPointerMemory) out.address = *value;
    if (meaning == Meaning::kPointerObject) out.object = *value;
    if (meaning != Meaning::kBytes) continue;
    has_bytes = true;
    if (__builtin_mul_overflow(bytes, *value, &bytes)) bytes = 0;
  }
  if (function.action == MemoryAction::kAsk && !answered) {
    out.action = MemoryAction::kNone;
  }
  if (has_bytes) out.bytes = std::max<int64_t>(bytes, 0);
  return out;
}

}  // namespace

std::vector<MemoryCall> MemoryCallsOf(const TraceModel& model,
                                      const Process& process) {
  std::vector<MemoryFunction> functions;
  functions.reserve(model.entry_points.size());
  for (const EntryPoint& entry : model.entry_points) {
    functions.push_back(FunctionOf(entry));
  }
  std::vector<MemoryCall> out;
  const Call* around = nullptr;
  for (const Call& call : process.calls) {
    const MemoryFunction& function = functions[call.entry.value()];
    if (function.action == MemoryAction::kNone) continue;
    const bool is_inner = around != nullptr && around->thread == call.thread &&
                          call.depth > around->depth &&
                          call.begin_ns < around->end_ns;
    if (is_inner) continue;
    around = &call;
    out.push_back(CallFrom(model, process, call, function));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const MemoryCall& a, const MemoryCall& b) {
                     return a.at_ns < b.at_ns;
                   });
  return out;
}

}  // namespace dltap::analyzer
