// SPDX-License-Identifier: Apache-2.0
// Any bytes as a CSV file of Nsight Compute.
#include <cstdint>
#include <string_view>

#include "analyzer/importers/ncu_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dltap::analyzer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  LooksLikeNcuCsv(text);
  (void)ParseNcuCsv(text, "fuzz.csv").ok();
  return 0;
}
