// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_GOLDEN_SMALL_RUN_H_
#define DLTAP_TESTS_GOLDEN_SMALL_RUN_H_

#include <cstdint>

#include "shim/specs/words.h"
#include "tests/support/trace_bytes.h"

// The run that several golden traces describe: a process with a product, a
// launch, and whatever their version added.
namespace dltap::trace {

inline constexpr uint64_t kStart = 1'000'000;  // ticks and monotonic ns

inline void AddAnchor(TraceBytes& trace, uint64_t at_ns) {
  AnchorRecord anchor = {};
  anchor.ticks = kStart + at_ns;
  anchor.monotonic_ns = kStart + at_ns;
  trace.Put(BlockKind::kSamples, anchor);
}

inline void AddDefinitions(TraceBytes& trace) {
  ProcessRecord process = {};
  process.pid = 42;
  process.cpus = 8;
  trace.Put(BlockKind::kDefinitions, process, Piece::String("host", 4),
            Piece::String("bootboot-id", 11), Piece::String("program", 7),
            Piece::String("0.2.0", 5), Piece::String("", 0));
  trace.Entry(16, "cublasSgemm_v2",
              {{"m", 0, 4, specs::ArgKind::kInt, specs::Meaning::kDimM}});
  trace.Entry(
      17, "cudaLaunchKernel",
      {{"func", 0, 8, specs::ArgKind::kHandle, specs::Meaning::kKernel}});
  KernelFunctionRecord function = {};
  function.function = 0x1000;
  function.text = 1;
  trace.Text(1, "sgemm_128x64").Put(BlockKind::kDefinitions, function);
}

inline CallFields Call(uint64_t at, uint16_t entry, uint8_t flags,
                       const void* payload, uint32_t bytes) {
  return {.begin_ticks = kStart + at,
          .duration_ticks = 500,
          .entry_point = entry,
          .flags = flags,
          .payload = payload,
          .payload_bytes = bytes};
}

}  // namespace dltap::trace

#endif  // DLTAP_TESTS_GOLDEN_SMALL_RUN_H_
