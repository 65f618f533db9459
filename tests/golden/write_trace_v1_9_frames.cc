// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.9 into the directory given, with looks at the
// Python frames of two threads: a path that is seen twice, code of which no
// path is known, a path that was never defined. Made once; the files are
// checked in.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/golden/small_run.h"

namespace dltap::trace {
namespace {

Piece Text(const char* text) { return Piece::String(text, strlen(text)); }

void AddSite(TraceBytes& trace) {
  SiteRecord site = {};
  site.id = 1;
  site.kind = static_cast<uint8_t>(SiteKind::kPython);
  site.frame_count = 2;
  site.string_count = 4;
  const SiteFrame frames[] = {{0, 7, 1, 2, 0, {}}, {0, 701, 3, 4, 0, {}}};
  trace.Put(BlockKind::kDefinitions, site, Piece::Raw(frames, sizeof(frames)),
            Text("collate"), Text("/home/me/train.py"), Text("fetch"),
            Text("/lib/site-packages/torch/utils/data/_utils/fetch.py"));
}

void AddLook(TraceBytes& trace, uint64_t at, uint32_t thread, uint32_t site) {
  ThreadFramesRecord record = {};
  record.ticks = kStart + at;
  record.thread = thread;
  record.site = site;
  trace.Put(BlockKind::kSamples, record);
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_9_frames DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  AddSite(trace);
  const uint64_t kernel = 0x1000;
  trace.Calls(0, 0, {Call(1000, 17, 0, &kernel, sizeof(kernel))});
  AddLook(trace, 2'000, 0, 1);
  AddLook(trace, 3'000, 1, 0);
  AddLook(trace, 4'000, 0, 1);
  AddLook(trace, 5'000, 0, 9);
  AddAnchor(trace, 1'000'000);
  std::ofstream(std::string(argv[1]) + "/run.dltap", std::ios::binary)
      .write(reinterpret_cast<const char*>(trace.bytes().data()),
             static_cast<std::streamsize>(trace.bytes().size()));
}
