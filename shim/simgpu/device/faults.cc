// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/faults.h"

#include <charconv>
#include <cstdio>
#include <deque>

#include "shim/simgpu/device/config.h"

namespace dltap::simgpu {
namespace {

template <typename Number>
bool ParseNumber(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

std::optional<FaultRule> ParseRule(std::string_view text) {
  const size_t first = text.find(':');
  const size_t second = text.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) {
    return std::nullopt;
  }
  FaultRule rule{std::string(text.substr(0, first)), 0, 0};
  const std::string_view nth = text.substr(first + 1, second - first - 1);
  const bool each = nth == "*";
  if (!each && (!ParseNumber(nth, rule.nth) || rule.nth == 0)) {
    return std::nullopt;
  }
  if (rule.function.empty() ||
      !ParseNumber(text.substr(second + 1), rule.code)) {
    return std::nullopt;
  }
  return rule;
}

std::deque<Fault>* LoadFaults() {
  auto* faults = new std::deque<Fault>;
  const std::string& text = GetConfig().faults;
  const auto rules = ParseFaults(text);
  if (!rules) {
    std::fprintf(stderr,
                 "simgpu: DLTAP_SIM_FAULTS=%s is not FUNCTION:NTH:CODE[,...]; "
                 "no fault is injected\n",
                 text.c_str());
    return faults;
  }
  for (const FaultRule& rule : *rules) {
    Fault& fault = faults->emplace_back();
    fault.function = rule.function;
    fault.nth = rule.nth;
    fault.code = rule.code;
  }
  return faults;
}

}  // namespace

int Fault::Fire() {
  const uint64_t call = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  return nth == 0 || nth == call ? code : 0;
}

Fault* FindFault(std::string_view function) {
  static std::deque<Fault>* const faults = LoadFaults();
  for (Fault& fault : *faults) {
    if (fault.function == function) return &fault;
  }
  return nullptr;
}

std::optional<std::vector<FaultRule>> ParseFaults(std::string_view text) {
  std::vector<FaultRule> rules;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const auto rule = ParseRule(text.substr(0, comma));
    if (!rule) return std::nullopt;
    rules.push_back(*rule);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return rules;
}

}  // namespace dltap::simgpu
