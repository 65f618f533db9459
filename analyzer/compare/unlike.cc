// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/unlike.h"

namespace dltap::analyzer {
namespace {

struct Row {
  std::string_view name;
  Bars bars;
};
constexpr Row kRows[] = {
    {"no_gpu_work", Bars::kAll},   {"gpu", Bars::kRules},
    {"simulated", Bars::kRules},   {"clock", Bars::kRules},
    {"level", Bars::kAll},         {"losses", Bars::kAll},
    {"steps", Bars::kAll},         {"few_steps", Bars::kAll},
    {"step_unit", Bars::kAll},     {"devices", Bars::kAll},
    {"shapes", Bars::kRules},      {"layers", Bars::kAll},
    {"no_times", Bars::kAll},      {"framework", Bars::kAll},
    {"use", Bars::kAll},           {"fused", Bars::kNothing},
    {"precision", Bars::kNothing}, {"device_count", Bars::kRules}};

}  // namespace

std::string_view Name(Unlikeness what) {
  return kRows[static_cast<size_t>(what)].name;
}

Bars BarsOf(Unlikeness what) { return kRows[static_cast<size_t>(what)].bars; }

}  // namespace dltap::analyzer
