// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/streamed_weights.h"

#include <algorithm>
#include <iterator>

#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/metrics/base/call_arguments.h"
#include "analyzer/metrics/steps/step.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

// cudaMemcpyKind; the driver's calls say it by their names.
constexpr int64_t kHostToDevice = 1;

bool IsFromHost(const TraceModel& model, const Process& process,
                const Call& call) {
  const EntryPoint& entry = model.entry_points[call.entry.value()];
  if (entry.info == nullptr || entry.info->kind != specs::Kind::kMemcpy) {
    return false;
  }
  const auto kind = CallArguments(model, process, call).Get(Meaning::kCopyKind);
  return kind ? *kind == kHostToDevice
              : entry.symbol.find("HtoD") != std::string::npos;
}

}  // namespace

StreamedWeights::StreamedWeights(const TraceModel& model,
                                 const Process& process) {
  for (const Call& call : process.calls) {
    if (!IsFromHost(model, process, call)) continue;
    const uint64_t to =
        OperandAddress(model, process, call, Meaning::kPointerDst);
    const uint64_t from =
        OperandAddress(model, process, call, Meaning::kPointerSrc);
    if (to == 0 || from == 0) continue;
    ++times_from_[from];
    const int64_t bytes =
        CallArguments(model, process, call).Get(Meaning::kBytes, 0);
    copies_[to].push_back({call.begin_ns, from, bytes});
  }
  for (auto& [_, copies] : copies_) {
    std::ranges::stable_sort(copies, {}, &Copy::at_ns);
    if (!TakeTurns(copies)) continue;
    for (const Copy& copy : copies) take_turns_.insert(copy.from);
  }
}

// Of a staging buffer, whence all comes, and of batches that are made anew each
// time nothing is told.
bool StreamedWeights::TakeTurns(const std::vector<Copy>& copies) const {
  return std::ranges::any_of(copies, [&](const Copy& copy) {
    return copy.from != copies.front().from && IsRepeated(copy.from);
  });
}

bool StreamedWeights::IsRepeated(uint64_t from) const {
  return times_from_.at(from) >= kMinRepeats;
}

uint64_t StreamedWeights::HomeOf(uint64_t address, int64_t bytes,
                                 int64_t at_ns) const {
  const auto target = copies_.find(address);
  if (target == copies_.end()) return address;
  const std::vector<Copy>& copies = target->second;
  const auto after = std::ranges::upper_bound(copies, at_ns, {}, &Copy::at_ns);
  if (after == copies.begin()) return address;
  const Copy& last = *std::prev(after);
  const bool is_streamed = last.bytes == bytes && IsRepeated(last.from) &&
                           take_turns_.contains(last.from);
  return is_streamed ? last.from : address;
}

}  // namespace dltap::analyzer
