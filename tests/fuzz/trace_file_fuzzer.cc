// SPDX-License-Identifier: Apache-2.0
// Any bytes as a trace file: data or ring, by their own header.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "analyzer/reader/trace_reader.h"
#include "shim/trace/checksum.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dltap::analyzer;
  std::vector<uint8_t> bytes(data, data + size);
  // Nobody guesses a checksum: give it the right one.
  if (size >= sizeof(dltap::trace::FileHeader)) {
    dltap::trace::FileHeader header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    header.checksum = dltap::trace::Checksum(header);
    std::memcpy(bytes.data(), &header, sizeof(header));
  }
  auto file = OpenTraceFile(MappedFile::OfBytes("fuzz", std::move(bytes)));
  if (!file.ok()) return 0;
  std::vector<TraceFile> files;
  files.push_back(*std::move(file));
  std::vector<std::string> problems;
  ReadProcesses(GroupByProcess(std::move(files)), &problems);
  return 0;
}
