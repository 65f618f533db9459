// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TEXT_BUILDER_H_
#define DLTAP_ANALYZER_READER_TEXT_TEXT_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Fills a model by the names and numbers that the text grammar uses. What a
// line mentions exists from then on: threads, devices, streams, entry points.
class TextBuilder {
 public:
  // Begins a process; without it the first mention of anything does.
  Process& AddProcess();
  Process& process();

  ThreadId ThreadAt(uint64_t index);
  DeviceId DeviceAt(int ordinal);
  StreamId StreamAt(DeviceId device, uint64_t number, uint32_t context);
  EntryPointId EntryNamed(std::string_view symbol);
  uint32_t ShapeOf(const LaunchShape& shape);
  // The model's id of the operation that the text numbers `number`.
  OperationId OperationAt(uint64_t number);

  // Appends an argument to `call`, the last one added. Arguments lie 8 bytes
  // apart, in the order in which calls of the entry point first named them.
  // False: too many.
  bool AddArg(Call& call, std::string_view name, ArgKind kind, uint64_t bits);

  // Calls whose depth the text leaves out get it from nesting.
  void LeaveDepthOpen();
  TraceModel Finish();

  TraceModel& model() { return model_; }

 private:
  size_t ArgIndex(EntryPoint& entry, std::string_view name, ArgKind kind);
  static void SetDepths(Process& process, const std::vector<bool>& open);

  TraceModel model_;
  std::map<std::string, EntryPointId, std::less<>> entries_;
  // Of the current process.
  std::map<std::pair<size_t, uint64_t>, StreamId> streams_;
  std::map<int, DeviceId> devices_;
  std::vector<std::vector<bool>> open_depths_;  // by process, by call
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TEXT_BUILDER_H_
