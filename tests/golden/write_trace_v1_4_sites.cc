// SPDX-License-Identifier: Apache-2.0
// Writes a trace of format 1.4 with launch sites, into the directory given: a
// native one and a Python one; a call that waited after its site was taken; a
// site whose call got lost, and one that is not known. Made once; the files are
// checked in.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/golden/small_run.h"

namespace dltap::trace {
namespace {

Piece Text(const char* text) { return Piece::String(text, strlen(text)); }

SiteFrame Frame(uint64_t address, uint32_t line, uint16_t name, uint16_t place,
                uint16_t detail) {
  return {address, line, name, place, detail, {}};
}

void AddSites(TraceBytes& trace) {
  SiteRecord native = {};
  native.id = 1;
  native.kind = static_cast<uint8_t>(SiteKind::kNative);
  native.truncated = 1;
  native.frame_count = 2;
  native.string_count = 2;
  const SiteFrame returns[] = {Frame(0x1234, 0, 0, 1, 2),
                               Frame(0x5678, 0, 0, 1, 9)};
  trace.Put(BlockKind::kDefinitions, native,
            Piece::Raw(returns, sizeof(returns)), Text("/no/such/program"),
            Text("0123456789abcdef"));
  SiteRecord python = {};
  python.id = 2;
  python.kind = static_cast<uint8_t>(SiteKind::kPython);
  python.frame_count = 2;
  python.string_count = 5;
  const SiteFrame lines[] = {Frame(0, 12, 1, 2, 0), Frame(0, 1501, 3, 4, 5)};
  trace.Put(BlockKind::kDefinitions, python, Piece::Raw(lines, sizeof(lines)),
            Text("Net.forward"), Text("/home/me/train.py"), Text("_call_impl"),
            Text("/lib/site-packages/torch/nn/modules/module.py"), Text("Net"));
  SiteModeRecord mode = {};
  mode.wanted = static_cast<uint8_t>(SiteKind::kPython);
  mode.kind = static_cast<uint8_t>(SiteKind::kNative);
  trace.Put(BlockKind::kDefinitions, mode, Text("a reason"));
}

CallFields Site(uint64_t at, const SitePayload& site) {
  return {.begin_ticks = kStart + at,
          .duration_ticks = 0,
          .entry_point = static_cast<uint16_t>(SpecialSlot::kSite),
          .flags = 0,
          .payload = &site,
          .payload_bytes = sizeof(site)};
}

void AddCalls(TraceBytes& trace) {
  const int32_t rows = 128;
  const uint64_t kernel = 0x1000;
  const SitePayload native = {1, 0, 0}, python = {2, 0, 0}, none = {};
  trace.Calls(
      0, 0,
      {Site(1000, native), Call(1100, 17, 1, &kernel, sizeof(kernel)),
       Call(1000, 16, 0, &rows, sizeof(rows)), Site(3000, python),
       Call(4000, 16, kCallDelayed, &rows, sizeof(rows)), Site(5000, python),
       Site(6000, none), Call(6000, 16, 0, &rows, sizeof(rows)),
       Site(7000, python), Call(8000, 16, 0, &rows, sizeof(rows))});
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace_v1_4_sites DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  AddSites(trace);
  AddCalls(trace);
  AddAnchor(trace, 1'000'000);
  std::ofstream(std::string(argv[1]) + "/run.dltap", std::ios::binary)
      .write(reinterpret_cast<const char*>(trace.bytes().data()),
             static_cast<std::streamsize>(trace.bytes().size()));
}
