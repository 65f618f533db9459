// SPDX-License-Identifier: Apache-2.0
// Any bytes as a SQLite file of Nsight Systems.
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/importers/nsys.h"
#include "analyzer/reader/text/trace_printer.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dltap::analyzer;
  TraceModel model;
  std::vector<std::string> problems;
  const absl::Status status =
      ImportNsys(dltap::InputFile(data, size), model, {&problems, {}});
  if (!status.ok()) return 0;
  Normalise(model);
  PrintTrace(
      model, {}, [](std::string_view, void*) { return true; }, nullptr);
  return 0;
}
