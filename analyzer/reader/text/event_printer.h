// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_EVENT_PRINTER_H_
#define DLTAP_ANALYZER_READER_TEXT_EVENT_PRINTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/model/trace_model.h"
#include "analyzer/reader/text/print_line.h"
#include "analyzer/reader/text/print_options.h"
#include "analyzer/reader/text/thread_numbers.h"

namespace dltap::analyzer {

// Prints the events of one process in order of time; equal times in order of
// kind, then of position. Holds references to all it is given.
class EventPrinter {
 public:
  EventPrinter(const TraceModel& model, const Process& process,
               const ThreadNumbers& threads, const PrintOptions& options,
               LinePrinter& out);

  void PrintAll();

 private:
  enum class Kind : uint8_t {
    kRange,
    kCall,
    kLaunch,
    kActivity,
    kSample,
    kOffCpu,
    kSwitchesKnown,
    kFrames,
    kProcessSample,
    kNotObserved,
    kMemory,
    kSync,
    kDelay,
    kDelayed,
    kGraphNode
  };
  struct Entry {
    int64_t begin_ns;
    Kind kind;
    uint32_t position;
  };

  std::vector<Entry> InOrderOfTime() const;
  void Print(const Entry& entry);
  void PrintCall(const Call& call);
  void PrintArgs(const Call& call);
  static bool HasOperation(const EntryPoint& entry);
  static std::string KeyOf(const ArgLayout& arg);
  void PrintLaunch(const LaunchRecord& launch);
  void PrintActivity(const Activity& activity);
  void PrintKernel(const Activity& activity);
  void PrintGraphNode(const GraphNodeOrigin& origin);
  void PrintRange(const Range& range);
  void PrintSample(const CpuSample& sample);
  void PrintOffCpu(const OffCpu& off);
  void PrintSwitchesKnown(const SwitchesKnown& known);
  void PrintFrames(const FramesSeen& seen);
  void PrintProcessSample(const ProcessSample& sample);
  void PrintMemory(const MemoryEvent& event);
  void PrintSync(const Sync& sync);
  void PrintDelay(const DelayWindow& window);
  void PrintNotObserved(const NotObserved& span);
  void PrintCallRef(std::string_view key, std::string_view raw_key,
                    ThreadId thread, uint64_t ticks);

  int64_t Correlation(uint64_t correlation);
  uint64_t Address(const ArgLayout& arg, uint64_t address);

  const TraceModel& model_;
  const Process& process_;
  const ThreadNumbers& threads_;
  const PrintOptions& options_;
  LinePrinter& out_;
  // Begin of the outermost call that began at these ticks on this thread.
  std::unordered_map<uint64_t, std::vector<std::pair<ThreadId, int64_t>>>
      begins_;
  std::map<std::pair<ThreadId, uint64_t>, SiteId> sites_;  // by begin_ticks
  Renumbering correlations_;
  Renumbering addresses_;
  Renumbering cliques_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_EVENT_PRINTER_H_
