// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/scoped_fault_rules.h"

#include <charconv>
#include <cmath>

namespace dltap::simgpu {
namespace {

// More is a mistake: products of several must stay finite.
constexpr double kSlowest = 1e-3;
constexpr double kFastest = 1e3;
constexpr double kLongestNs = 1e18;  // 31 years

struct SubjectRow {
  std::string_view name;
  ScopedKind kind;
};
constexpr SubjectRow kSubjects[] = {{"gpu", ScopedKind::kGpu},
                                    {"link", ScopedKind::kLink},
                                    {"host", ScopedKind::kHost},
                                    {"dead", ScopedKind::kDead}};

struct UnitRow {
  std::string_view name;
  double ns;
};
constexpr UnitRow kUnits[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9}};

const SubjectRow* SubjectOf(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  for (const SubjectRow& row : kSubjects) {
    if (row.name == name && name.size() < text.size()) return &row;
  }
  return nullptr;
}

// What stands before `mark`, which is taken out with it; all, without one.
std::string_view TakeUntil(std::string_view& text, char mark) {
  const size_t at = text.find(mark);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

// "3"
bool ParseRank(std::string_view text, int& rank) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rank);
  return error == std::errc() && stop == end && rank >= 0;
}

// "3", "2-5" or "*"
bool ParseRanks(std::string_view text, RankRange& ranks) {
  if (text == "*") return true;
  const bool is_range = text.find('-') != std::string_view::npos;
  if (!ParseRank(TakeUntil(text, '-'), ranks.first)) return false;
  ranks.last = ranks.first;
  return !is_range ||
         (ParseRank(text, ranks.last) && ranks.last >= ranks.first);
}

// "1-3", "1-*" or "*"
bool ParseLink(std::string_view text, ScopedFault& fault) {
  if (text == "*") return true;
  if (text.find('-') == std::string_view::npos) return false;
  const std::string_view one = TakeUntil(text, '-');
  return ParseRanks(one, fault.ranks) &&
         text.find('-') == std::string_view::npos &&
         ParseRanks(text, fault.others) && fault.ranks != fault.others;
}

// "2.5", "150ms": taken out of `text`.
bool TakeTime(std::string_view& text, int64_t& ns) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) {
    return false;
  }
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  const std::string_view unit = text.substr(0, text.find('-'));
  for (const UnitRow& row : kUnits) {
    if (row.name != unit) continue;
    if (number * row.ns > kLongestNs) return false;
    ns = std::llround(number * row.ns);
    text.remove_prefix(unit.size());
    return true;
  }
  return false;
}

// "1-2.5", "1-" or "-2.5"
bool ParseTimes(std::string_view text, ScopedFault& fault) {
  if (text == "-") return false;
  if (!text.starts_with('-') && !TakeTime(text, fault.from_ns)) return false;
  if (!text.starts_with('-')) return false;
  text.remove_prefix(1);
  if (text.empty()) return true;
  return TakeTime(text, fault.until_ns) && text.empty();
}

bool ParseSpeed(std::string_view text, double& speed) {
  if (!text.starts_with('x')) return false;
  text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, speed);
  return error == std::errc() && stop == end && speed >= kSlowest &&
         speed <= kFastest;
}

// RANKS@FROM[:kill|:hang]. Empty: it is parsed, else what is wrong.
std::string_view ParseDead(std::string_view text, ScopedFault& fault) {
  const bool says_how = text.find(':') != std::string_view::npos;
  std::string_view where = TakeUntil(text, ':');
  const std::string_view ranks = TakeUntil(where, '@');
  if (!ParseRanks(ranks, fault.ranks)) return "no rank, as 3, 2-5 or *";
  if (!TakeTime(where, fault.from_ns) || !where.empty()) {
    return "expected dead:RANK@SECONDS";
  }
  fault.hangs = text == "hang";
  if (says_how && text != "hang" && text != "kill") {
    return "a dead rank is to 'kill' or to 'hang'";
  }
  return "";
}

// RANKS[@FROM-UNTIL]:xSPEED. Empty: it is parsed, else what is wrong.
std::string_view ParseSlow(std::string_view text, ScopedFault& fault) {
  std::string_view where = TakeUntil(text, ':');
  const bool has_times = where.find('@') != std::string_view::npos;
  const std::string_view ranks = TakeUntil(where, '@');
  if (fault.kind == ScopedKind::kLink) {
    if (!ParseLink(ranks, fault)) return "no link, as 0-1, 0-* or *";
  } else if (!ParseRanks(ranks, fault.ranks)) {
    return "no rank, as 3, 2-5 or *";
  }
  if (has_times && !ParseTimes(where, fault)) {
    return "no times, as 1-2.5, 1- or -2.5 (seconds, or with a unit)";
  }
  if (fault.until_ns <= fault.from_ns) return "it ends before it begins";
  if (!ParseSpeed(text, fault.speed)) {
    return "no speed from x0.001 to x1000 (what stands still is dead:RANK@T)";
  }
  return "";
}

}  // namespace

bool IsScopedRule(std::string_view text) { return SubjectOf(text) != nullptr; }

std::optional<ScopedFault> ParseScopedFault(std::string_view text,
                                            std::string* why) {
  ScopedFault fault;
  const SubjectRow* subject = SubjectOf(text);
  if (subject == nullptr) return std::nullopt;
  fault.kind = subject->kind;
  const std::string_view rest = text.substr(subject->name.size() + 1);
  const std::string_view wrong = fault.kind == ScopedKind::kDead
                                     ? ParseDead(rest, fault)
                                     : ParseSlow(rest, fault);
  if (wrong.empty()) return fault;
  *why = "'" + std::string(text) + "': " + std::string(wrong);
  return std::nullopt;
}

}  // namespace dltap::simgpu
