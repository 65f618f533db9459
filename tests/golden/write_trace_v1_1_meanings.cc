// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.1 whose arguments say what they mean, into the
// directory given. No name of them helps: only the meanings do. Made once; the
// files are checked in, see write_trace_v1_0.cc.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/support/trace_bytes.h"

namespace dltap::trace {
namespace {

using specs::ArgKind;
using specs::Meaning;

constexpr uint64_t kStart = 1'000'000;  // ticks and monotonic ns

void AddAnchor(TraceBytes& trace, uint64_t at_ns) {
  AnchorRecord anchor = {};
  anchor.ticks = kStart + at_ns;
  anchor.monotonic_ns = kStart + at_ns;
  trace.Put(BlockKind::kSamples, anchor);
}

void AddDefinitions(TraceBytes& trace) {
  ProcessRecord process = {};
  process.pid = 42;
  trace.Put(BlockKind::kDefinitions, process, Piece::String("host", 4),
            Piece::String("bootboot-id", 11), Piece::String("program", 7),
            Piece::String("0.2.0", 5), Piece::String("", 0));
  trace.Entry(16, "cublasSgemm_v2",
              {{"rows", 0, 4, ArgKind::kInt, Meaning::kDimM},
               {"columns", 4, 4, ArgKind::kInt, Meaning::kDimN},
               {"inner", 8, 4, ArgKind::kInt, Meaning::kDimK}});
  trace.Entry(17, "cudaLaunchKernel",
              {{"entry", 0, 8, ArgKind::kHandle, Meaning::kKernel}});
  // A function that no spec of ours has, by a meaning that is new to us.
  trace.Entry(18, "vendorStart",
              {{"what", 0, 8, ArgKind::kHandle, Meaning::kKernel},
               {"why", 8, 4, ArgKind::kInt, static_cast<Meaning>(255)}});
  trace.Entry(19, "cudnnBackendExecute",
              {{"number", 0, 4, ArgKind::kUint, Meaning::kOperation}});
  KernelFunctionRecord function = {};
  function.function = 0x1000;
  function.text = 1;
  trace.Text(1, "sgemm_128x64").Put(BlockKind::kDefinitions, function);
  const struct {
    OperationNode node;
    DimRecord batch, hidden;
  } lstm = {{5, 3, 2, 3, 2, {}}, {0, {}, 32}, {18, {}, 512}};
  OperationRecord operation = {};
  operation.id = 1;
  operation.node_count = 1;
  trace.Put(BlockKind::kDefinitions, operation,
            Piece::Raw(&lstm, sizeof(lstm)));
}

CallFields Call(uint64_t at, uint16_t entry, const void* payload,
                uint32_t bytes) {
  return {.begin_ticks = kStart + at,
          .duration_ticks = 500,
          .entry_point = entry,
          .flags = 0,
          .payload = payload,
          .payload_bytes = bytes};
}

void AddCalls(TraceBytes& trace) {
  const int32_t shape[] = {128, 64, 32};
  const struct {
    uint64_t kernel;
    int32_t why;
  } launch = {0x1000, 7};
  const uint32_t operation = 1;
  trace.Calls(0, 0,
              {Call(1000, 16, shape, sizeof(shape)), Call(2000, 17, &launch, 8),
               Call(3000, 18, &launch, 12),
               Call(4000, 19, &operation, sizeof(operation))});
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_1_meanings DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  AddCalls(trace);
  AddAnchor(trace, 1'000'000);
  std::ofstream(std::string(argv[1]) + "/run.dltap", std::ios::binary)
      .write(reinterpret_cast<const char*>(trace.bytes().data()),
             static_cast<std::streamsize>(trace.bytes().size()));
}
