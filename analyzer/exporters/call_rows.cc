// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/call_rows.h"

#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "analyzer/exporters/api_records.h"
#include "analyzer/exporters/event_rows.h"
#include "analyzer/model/nearly_sorted.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr TypedColumn kColumns[] = {
    {"process", kText},        {"rank", kInteger},     {"call", kInteger},
    {"thread", kInteger},      {"begin_ns", kInteger}, {"end_ns", kInteger},
    {"name", kText},           {"library", kText},     {"depth", kInteger},
    {"correlation", kInteger}, {"failed", kFlag},      {"capturing", kFlag}};

// The places of the columns above.
enum Column : size_t {
  kCall = 2,
  kThread,
  kBegin,
  kEnd,
  kName,
  kLibrary,
  kDepth,
  kCorrelation,
  kFailed,
  kCapturing
};
static_assert(kCapturing + 1 == std::size(kColumns));

int64_t Signed(uint64_t number) { return static_cast<int64_t>(number); }

// In time, whatever their threads.
std::vector<uint32_t> CallOrder(const Process& process) {
  std::vector<uint32_t> order(process.calls.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  SortNearlySorted(order, [&](uint32_t a, uint32_t b) {
    return process.calls[a].begin_ns < process.calls[b].begin_ns;
  });
  return order;
}

class CallRows : public EventRows {
 public:
  explicit CallRows(const ExportInput& input)
      : EventRows(input, kColumns),
        names_(input.model.entry_points.size(), kUnseen),
        libraries_(input.model.entry_points.size(), kUnseen),
        correlations_(input.model.processes.size()) {
    for (size_t p = 0; p < input.model.processes.size(); ++p) {
      if (input.WantsProcess(p)) AddProcess(p);
    }
  }

 protected:
  void FillBlock(const Block& block, std::span<ColumnPlace> places) override {
    FillOwner(block, places);
    FillTimes(block, places);
    FillFacts(block, places);
  }

 private:
  static constexpr uint32_t kUnseen = kNoText - 1;

  void AddProcess(size_t p) {
    const Process& process = input().model.processes[p];
    BeginProcess(p);
    Reserve(process.calls.size());
    for (const uint32_t i : CallOrder(process)) {
      const Call& call = process.calls[i];
      if (!input().Wants(call)) continue;
      AddEvent(i);
      AddTexts(call.entry.value());
    }
    correlations_[p] = CorrelationsOfCalls(input().model, process);
  }

  void AddTexts(size_t entry) {
    if (names_[entry] != kUnseen) return;
    const EntryPoint& point = input().model.entry_points[entry];
    names_[entry] = texts(kName).Add(ApiName(point));
    const std::string_view library = LibraryOf(point);
    libraries_[entry] =
        library.empty() ? kNoText : texts(kLibrary).Add(library);
  }

  void FillTimes(const Block& block, std::span<ColumnPlace> places) const {
    const Process& process = input().model.processes[block.process];
    for (size_t i = 0; i < block.events.size(); ++i) {
      const size_t row = block.row + i;
      const Call& call = process.calls[block.events[i]];
      places[kCall].Integer(row, Signed(block.events[i]));
      const size_t thread = call.thread.value();
      thread < process.threads.size()
          ? places[kThread].Integer(row, Signed(process.threads[thread].tid))
          : places[kThread].Null(row);
      places[kBegin].Integer(row, input().At(call.begin_ns));
      places[kEnd].Integer(row, input().At(call.end_ns));
    }
  }

  void FillFacts(const Block& block, std::span<ColumnPlace> places) const {
    const Process& process = input().model.processes[block.process];
    const std::vector<uint64_t>& correlations = correlations_[block.process];
    for (size_t i = 0; i < block.events.size(); ++i) {
      const size_t row = block.row + i;
      const Call& call = process.calls[block.events[i]];
      places[kName].Text(row, names_[call.entry.value()]);
      const uint32_t library = libraries_[call.entry.value()];
      library == kNoText ? places[kLibrary].Null(row)
                         : places[kLibrary].Text(row, library);
      places[kDepth].Integer(row, call.depth);
      const uint64_t correlation = correlations[block.events[i]];
      correlation != 0 ? places[kCorrelation].Integer(row, Signed(correlation))
                       : places[kCorrelation].Null(row);
      places[kFailed].Flag(row, call.failed);
      places[kCapturing].Flag(row, call.capturing);
    }
  }

  std::vector<uint32_t> names_;                      // by entry point
  std::vector<uint32_t> libraries_;                  // by entry point
  std::vector<std::vector<uint64_t>> correlations_;  // by process and call
};

std::unique_ptr<ColumnRows> MakeCalls(const ExportInput& input) {
  return std::make_unique<CallRows>(input);
}

}  // namespace

ExportTable CallsTable() { return {"calls", kColumns, nullptr, MakeCalls}; }

}  // namespace dltap::analyzer
