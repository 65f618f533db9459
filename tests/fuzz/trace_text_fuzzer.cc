// SPDX-License-Identifier: Apache-2.0
// Any text as a trace; what is read prints as text that reads back the same.
#include <cstdint>
#include <cstdio>
#include <string>

#include "analyzer/reader/text/text_parser.h"
#include "tests/support/trace_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dltap::analyzer;
  const auto model =
      ParseTraceText({reinterpret_cast<const char*>(data), size});
  if (!model.ok()) return 0;
  const std::string text = TextFromTrace(*model);
  const std::string again = TextFromTrace(TraceFromText(text));
  if (again != text) {
    std::fprintf(stderr, "---- printed\n%s---- read and printed\n%s",
                 text.c_str(), again.c_str());
    __builtin_trap();
  }
  return 0;
}
