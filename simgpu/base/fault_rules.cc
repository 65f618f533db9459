// SPDX-License-Identifier: Apache-2.0
// The grammar of DLTAP_SIM_FAULTS.
#include "simgpu/base/fault_rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dltap::simgpu {
namespace {

// The subject of a rule. Any other word is a function.
enum Subject : unsigned {
  kFunction = 1,
  kLaunch = 2,
  kMemory = 4,
  kRecord = 8,
  kExternal = 16,
  kTeardown = 32,
};

Subject SubjectOf(std::string_view name) {
  if (name == "launch") return kLaunch;
  if (name == "memory") return kMemory;
  if (name == "record") return kRecord;
  if (name == "external") return kExternal;
  if (name == "teardown") return kTeardown;
  return kFunction;
}

struct ActionRow {
  std::string_view word;
  FaultAction action;
  bool takes_time;
  unsigned subjects;
};
constexpr ActionRow kActions[] = {
    {"slow", FaultAction::kSlow, true, kFunction},
    {"hang", FaultAction::kHang, false, kFunction},
    {"full", FaultAction::kFull, false, kMemory},
    {"drop", FaultAction::kDrop, false, kRecord},
    {"late", FaultAction::kDelay, true, kRecord},
    {"twice", FaultAction::kTwice, false, kRecord},
    {"zero_time", FaultAction::kZeroTime, false, kRecord},
    {"no_end", FaultAction::kNoEnd, false, kRecord},
    {"unseen", FaultAction::kUnseen, false, kRecord | kExternal},
    {"stolen", FaultAction::kStolen, false, kRecord},
    {"abort", FaultAction::kAbort, false, kTeardown},
};
constexpr unsigned kReturning = kFunction | kLaunch;

// Codes: cupti_result.h.
struct NamedFault {
  std::string_view name;
  std::string_view rules;
};
constexpr NamedFault kNamed[] = {
    {"cupti_busy",
     "cuptiSubscribe:*:39,cuptiSubscribe_v2:*:39,cuptiActivityEnable:*:39,"
     "cuptiActivityEnableContext:*:39"},
    {"cupti_no_permission",
     "cuptiSubscribe:*:35,cuptiSubscribe_v2:*:35,cuptiActivityEnable:*:35,"
     "cuptiActivityEnableContext:*:35"},
    {"cupti_hang", "cuptiActivityFlushAll:*:hang"},
};

struct UnitRow {
  std::string_view name;
  double ns;
};
constexpr UnitRow kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

template <typename Number>
bool ParseNumber(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

// "200us"
bool ParseTime(std::string_view text, int64_t& ns) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) {
    return false;
  }
  const std::string_view unit(stop, static_cast<size_t>(end - stop));
  for (const UnitRow& row : kUnits) {
    if (row.name != unit) continue;
    ns = static_cast<int64_t>(number * row.ns);
    return true;
  }
  return false;
}

// "3", "*" or "2.5%"
bool ParseWhich(std::string_view text, FaultRule& rule) {
  if (text == "*") return true;
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    if (!ParseNumber(text, rule.ratio)) return false;
    rule.ratio /= 100;
    return rule.ratio > 0 && rule.ratio <= 1;
  }
  return ParseNumber(text, rule.nth) && rule.nth > 0;
}

bool ParseWhat(std::string_view text, FaultRule& rule) {
  const Subject subject = SubjectOf(rule.subject);
  if (ParseNumber(text, rule.value)) {
    return (subject & kReturning) != 0 && rule.value != 0;
  }
  const size_t equals = text.find('=');
  const std::string_view word = text.substr(0, equals);
  const auto* row =
      std::find_if(std::begin(kActions), std::end(kActions),
                   [&](const ActionRow& r) { return r.word == word; });
  if (row == std::end(kActions) || (row->subjects & subject) == 0 ||
      row->takes_time != (equals != std::string_view::npos)) {
    return false;
  }
  rule.action = row->action;
  return !row->takes_time || ParseTime(text.substr(equals + 1), rule.value);
}

bool ParseRule(std::string_view text, FaultRule& rule) {
  const size_t first = text.find(':');
  const size_t second = text.find(':', first + 1);
  if (first == 0 || first == std::string_view::npos ||
      second == std::string_view::npos) {
    return false;
  }
  rule.subject = text.substr(0, first);
  return ParseWhich(text.substr(first + 1, second - first - 1), rule) &&
         ParseWhat(text.substr(second + 1), rule);
}

bool ParseRules(std::string_view text, FaultList& faults, std::string* why) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const auto* named =
        std::find_if(std::begin(kNamed), std::end(kNamed),
                     [&](const NamedFault& n) { return n.name == item; });
    if (named != std::end(kNamed)) {
      ParseRules(named->rules, faults, why);
    } else if (IsScopedRule(item)) {
      const auto scoped = ParseScopedFault(item, why);
      if (!scoped) return false;
      faults.scoped.push_back(*scoped);
    } else if (FaultRule rule; ParseRule(item, rule)) {
      faults.rules.push_back(rule);
    } else {
      *why = "'" + std::string(item) +
             "' is neither SUBJECT:WHICH:WHAT nor a known name";
      return false;
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return true;
}

}  // namespace

std::optional<FaultList> ParseFaults(std::string_view text, std::string* why) {
  FaultList faults;
  if (!ParseRules(text, faults, why)) return std::nullopt;
  return faults;
}

}  // namespace dltap::simgpu
