// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/cuda/options.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace workloads {
namespace {

[[noreturn]] void Usage(const char* program, bool has_attention, int code) {
  std::fprintf(code == 0 ? stdout : stderr,
               "usage: %s [--steps N] [--batch N] [--capture] [--expect]%s\n",
               program, has_attention ? " [--attention gemm|cudnn]" : "");
  std::exit(code);
}

}  // namespace

Options ParseOptions(int argc, char** argv, int default_batch,
                     bool has_attention) {
  Options options;
  options.batch = default_batch;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--help") Usage(argv[0], has_attention, 0);
    if (name == "--capture") {
      options.capture = true;
    } else if (name == "--expect") {
      options.expect = true;
    } else if (name == "--steps" && std::atoi(value.data()) > 0) {
      options.steps = std::atoi(argv[++i]);
    } else if (name == "--batch" && std::atoi(value.data()) > 0) {
      options.batch = std::atoi(argv[++i]);
    } else if (has_attention && name == "--attention" &&
               (value == "gemm" || value == "cudnn")) {
      options.cudnn_attention = value == "cudnn";
      ++i;
    } else {
      Usage(argv[0], has_attention, 2);
    }
  }
  return options;
}

}  // namespace workloads
