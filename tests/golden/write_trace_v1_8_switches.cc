// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.8 into the directory given, with the context
// switches of two threads: one whose state is not known at first and goes on in
// a second record, one of which some are lost. Made once; the files are checked
// in.
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tests/golden/small_run.h"

namespace dltap::trace {
namespace {

struct Span {
  uint32_t thread;
  uint64_t begin;
  uint64_t end;
  ThreadSwitch state;
  uint32_t lost = 0;
};

void AddSwitches(
    TraceBytes& trace, const Span& span,
    std::initializer_list<std::pair<uint64_t, ThreadSwitch>> switches) {
  std::vector<uint64_t> words;
  for (const auto& [at, kind] : switches) {
    words.push_back((kStart + at) << 2 | static_cast<uint64_t>(kind));
  }
  SwitchesRecord record = {};
  record.ticks = record.monotonic_ns = kStart + span.end + 100;
  record.begin_ns = kStart + span.begin;
  record.end_ns = kStart + span.end;
  record.thread = span.thread;
  record.count = static_cast<uint32_t>(words.size());
  record.lost = span.lost;
  record.state = static_cast<uint8_t>(span.state);
  trace.Put(BlockKind::kSamples, record,
            Piece::Raw(words.data(), words.size() * sizeof(words[0])));
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_8_switches DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  const uint64_t kernel = 0x1000;
  trace.Calls(0, 0, {Call(1000, 17, 0, &kernel, sizeof(kernel))});
  AddSwitches(trace, {0, 0, 10'000, ThreadSwitch::kUnknown},
              {{2'000, ThreadSwitch::kRuns},
               {5'000, ThreadSwitch::kSleeps},
               {6'000, ThreadSwitch::kRuns},
               {7'000, ThreadSwitch::kPreempted}});
  AddSwitches(trace, {0, 10'000, 20'000, ThreadSwitch::kPreempted},
              {{12'000, ThreadSwitch::kRuns}});
  AddSwitches(trace, {1, 0, 20'000, ThreadSwitch::kRuns, 3},
              {{4'000, ThreadSwitch::kSleeps}});
  AddSwitches(trace, {1, 20'000, 30'000, ThreadSwitch::kUnknown},
              {{25'000, ThreadSwitch::kSleeps}});
  AddAnchor(trace, 1'000'000);
  std::ofstream(std::string(argv[1]) + "/run.dltap", std::ios::binary)
      .write(reinterpret_cast<const char*>(trace.bytes().data()),
             static_cast<std::streamsize>(trace.bytes().size()));
}
