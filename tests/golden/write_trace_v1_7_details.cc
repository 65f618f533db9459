// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.7 into the directory given, with what ranges say
// beside their names: one push has its details, one has none, and one's are
// another's. Made once; the files are checked in.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/golden/small_run.h"

namespace dltap::trace {
namespace {

template <typename Payload>
CallFields Special(uint64_t at, SpecialSlot kind, const Payload& payload) {
  CallFields fields =
      Call(at, static_cast<uint16_t>(kind), 0, &payload, sizeof(payload));
  fields.duration_ticks = 0;
  return fields;
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_7_details DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  trace.Text(50, "Thunk:#hlo_op=fusion#").Text(51, "fusion = f32[8] fusion(p)");
  trace.Text(52, "- train.py:1:1[step]\n").Text(53, "c { ROOT a = add(p, p) }");
  const NvtxPayload push = {50, 0, 0, 0};
  const NvtxPayload pop = {};
  const NvtxDetailsPayload details = {50, {51, 52, 53}};
  const NvtxDetailsPayload others = {49, {51, 0, 0}};
  const uint64_t kernel = 0x1000;
  trace.Calls(0, 0,
              {Call(500, 17, 0, &kernel, sizeof(kernel)),
               Special(1500, SpecialSlot::kNvtxDetails, details),
               Special(1500, SpecialSlot::kNvtxPush, push),
               Special(2000, SpecialSlot::kNvtxPop, pop),
               Special(3000, SpecialSlot::kNvtxPush, push),
               Special(4000, SpecialSlot::kNvtxPop, pop),
               Special(5000, SpecialSlot::kNvtxDetails, others),
               Special(5000, SpecialSlot::kNvtxPush, push),
               Special(6000, SpecialSlot::kNvtxPop, pop)});
  AddAnchor(trace, 1'000'000);
  std::ofstream(std::string(argv[1]) + "/run.dltap", std::ios::binary)
      .write(reinterpret_cast<const char*>(trace.bytes().data()),
             static_cast<std::streamsize>(trace.bytes().size()));
}
