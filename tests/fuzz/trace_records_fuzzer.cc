// SPDX-License-Identifier: Apache-2.0
// Any bytes as the payloads of good blocks, so that what lies behind the
// checksums is reached. Input: {u8 block kind, u8 thread, u16 size, payload}*.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "analyzer/reader/text/trace_printer.h"
#include "analyzer/reader/trace_reader.h"
#include "tests/support/trace_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dltap;
  trace::TraceBytes trace;
  std::vector<uint8_t> buffer(1 << 17);
  uint64_t next_slot = 0;
  while (size >= 4) {
    const auto kind = static_cast<trace::BlockKind>(data[0] % 6);
    const uint32_t thread = data[1];
    uint16_t payload = 0;
    std::memcpy(&payload, data + 2, sizeof(payload));
    data += 4, size -= 4;
    const size_t bytes = std::min<size_t>(payload, size) & ~size_t{7};
    trace::BlockBuilder block(buffer.data(), buffer.size());
    block.AppendRaw(data, bytes);
    trace.Add(block.Finish(kind, thread, next_slot));
    next_slot += bytes / trace::kSlotBytes;
    data += bytes, size -= bytes;
    if (bytes == 0) break;
  }
  auto file = analyzer::OpenTraceFile(
      analyzer::MappedFile::OfBytes("fuzz", trace.bytes()));
  if (!file.ok()) __builtin_trap();
  std::vector<analyzer::TraceFile> files;
  files.push_back(*std::move(file));
  std::vector<std::string> problems;
  const analyzer::TraceModel model = analyzer::ReadProcesses(
      analyzer::GroupByProcess(std::move(files)), &problems);
  PrintTrace(
      model, {}, [](std::string_view, void*) { return true; }, nullptr);
  return 0;
}
