// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/collective_calls.h"

#include <algorithm>

#include "analyzer/attribution/calls/dtype_codes.h"
#include "analyzer/metrics/base/call_arguments.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;

constexpr size_t kLongGroup = 4096;  // calls; of longer ones nothing is known

const EntryPoint& EntryOf(const TraceModel& model, const Call& call) {
  return model.entry_points[call.entry.value()];
}

bool IsTransfer(const EntryPoint& entry) {
  return entry.info != nullptr &&
         entry.info->library == specs::Library::kNccl &&
         (entry.info->kind == specs::Kind::kCollective ||
          entry.info->kind == specs::Kind::kPointToPoint);
}

WantedCollective OneWantedBy(const TraceModel& model, const Process& process,
                             size_t call) {
  const CallArguments of(model, process, process.calls[call]);
  WantedCollective wanted{call,
                          static_cast<uint64_t>(of.Get(Meaning::kHandle, 0))};
  if (const auto code = of.Get(Meaning::kDtypeAll)) {
    wanted.dtype = DTypeOfDataCode(specs::Library::kNccl, *code);
  }
  wanted.elements_in = of.Get(Dim::kElementsIn);
  wanted.elements_out = of.Get(Dim::kElementsOut);
  wanted.peer = static_cast<int>(of.Get(Meaning::kDimPeer, -1));
  wanted.root = static_cast<int>(of.Get(Meaning::kDimRoot, -1));
  return wanted;
}

}  // namespace

std::vector<WantedCollective> WantedBy(const TraceModel& model,
                                       const Process& process, size_t call) {
  const EntryPoint& entry = EntryOf(model, process.calls[call]);
  if (IsTransfer(entry)) return {OneWantedBy(model, process, call)};
  std::vector<WantedCollective> wanted;
  if (entry.symbol != "ncclGroupEnd") return wanted;
  int depth = 1;
  const size_t first = call - std::min(call, kLongGroup);
  for (size_t i = call; depth > 0 && i-- > first;) {
    const Call& before = process.calls[i];
    if (before.thread != process.calls[call].thread) break;
    if (before.depth > 0 || before.failed) continue;
    const EntryPoint& inside = EntryOf(model, before);
    if (inside.symbol == "ncclGroupEnd") ++depth;
    if (inside.symbol == "ncclGroupStart") --depth;
    if (IsTransfer(inside)) wanted.push_back(OneWantedBy(model, process, i));
  }
  if (depth > 0) return {};
  std::reverse(wanted.begin(), wanted.end());
  return wanted;
}

std::vector<std::vector<WantedCollective>> ByCommunicator(
    const std::vector<WantedCollective>& wanted) {
  std::vector<std::vector<WantedCollective>> parts;
  for (const WantedCollective& one : wanted) {
    const auto part = std::find_if(
        parts.begin(), parts.end(),
        [&one](const auto& p) { return p.front().handle == one.handle; });
    part == parts.end() ? parts.push_back({one}) : part->push_back(one);
  }
  return parts;
}

std::vector<size_t> StartingCalls(const TraceModel& model,
                                  const Process& process) {
  std::vector<size_t> starting;
  int groups = 0;
  for (size_t i = 0; i < process.calls.size(); ++i) {
    const Call& call = process.calls[i];
    if (i > 0 && call.thread != process.calls[i - 1].thread) groups = 0;
    if (call.depth > 0 || call.failed) continue;
    const EntryPoint& entry = EntryOf(model, call);
    if (entry.symbol == "ncclGroupStart") ++groups;
    const bool ends_group = entry.symbol == "ncclGroupEnd" && groups > 0;
    if (ends_group) --groups;
    if (groups > 0 || call.capturing) continue;
    if (ends_group || IsTransfer(entry)) starting.push_back(i);
  }
  return starting;
}

}  // namespace dltap::analyzer
