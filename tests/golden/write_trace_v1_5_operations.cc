// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.5 with operations of launches, into the directory
// given: of a launch that follows, of one that got lost, and of another kernel.
// Made once; the files are checked in.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/golden/small_run.h"

namespace dltap::trace {
namespace {

CallFields OperationOf(uint64_t at, const OperationPayload& operation) {
  return {.begin_ticks = kStart + at,
          .duration_ticks = 0,
          .entry_point = static_cast<uint16_t>(SpecialSlot::kOperation),
          .flags = 0,
          .payload = &operation,
          .payload_bytes = sizeof(operation)};
}

void AddOperation(TraceBytes& trace) {
  const struct {
    OperationNode node;
    DimRecord queries, keys;
  } attention = {{8, 0, 4, 4, 2, {}}, {24, {}, 300}, {25, {}, 300}};
  OperationRecord operation = {};
  operation.id = 1;
  operation.node_count = 1;
  trace.Put(BlockKind::kDefinitions, operation,
            Piece::Raw(&attention, sizeof(attention)));
}

void AddCalls(TraceBytes& trace) {
  const int32_t rows = 128;
  const uint64_t kernel = 0x1000;
  const OperationPayload told = {kernel, 1, 0};
  const OperationPayload other = {0x2000, 1, 0};
  const auto launch = [&](uint64_t at) {
    return Call(at, 17, 0, &kernel, sizeof(kernel));
  };
  trace.Calls(0, 0,
              {OperationOf(1100, told), launch(1000), launch(2000),
               OperationOf(3100, told), Call(3500, 16, 0, &rows, sizeof(rows)),
               launch(4000), OperationOf(5100, other), launch(5000)});
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_5_operations DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  AddOperation(trace);
  AddCalls(trace);
  AddAnchor(trace, 1'000'000);
  std::ofstream(std::string(argv[1]) + "/run.dltap", std::ios::binary)
      .write(reinterpret_cast<const char*>(trace.bytes().data()),
             static_cast<std::streamsize>(trace.bytes().size()));
}
