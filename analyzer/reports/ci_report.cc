// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/ci_report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analyzer/reports/change_text.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/diff_tables.h"
#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostNamed = 3;

Change ChangeOfRule(const CiReport& report, const Rule& rule) {
  const auto at = report.changes.find(rule.quantity);
  return at == report.changes.end() ? Change{} : at->second;
}

// By direction; of copies, communication and others that have none, as a whole.
bool IsPart(const CiReport& report, const std::string& name) {
  if (name == "idle_ms") return true;
  if (!name.starts_with("class.")) return false;
  const std::string of_class = name.substr(0, name.rfind('.'));
  const std::array passes = {of_class + ".forward_ms",
                             of_class + ".backward_ms",
                             of_class + ".update_ms"};
  if (name != of_class + ".gpu_ms") {
    return std::ranges::find(passes, name) != passes.end();
  }
  return std::ranges::none_of(passes, [&](const std::string& pass) {
    return report.changes.contains(pass);
  });
}

// Of what a step is made of, that changed most; the largest first.
std::vector<std::string> Named(const CiReport& report) {
  std::vector<std::pair<double, std::string>> found;
  for (const auto& [name, change] : report.changes) {
    if (!change.differs() || !IsPart(report, name)) continue;
    found.emplace_back(*change.change, name);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) {
                     return std::abs(a.first) > std::abs(b.first);
                   });
  std::vector<std::string> names;
  for (const auto& [change, name] : found) {
    if (names.size() == kMostNamed) break;
    names.push_back(name + " " + SignedText(FindQuantity(name)->unit, change));
  }
  for (const char* name :
       {"launches", "syncs", "copies", "mallocs", "peak_memory"}) {
    const auto at = report.changes.find(name);
    if (at == report.changes.end() || !at->second.differs()) continue;
    names.push_back(std::string(name) + " " +
                    SignedText(FindQuantity(name)->unit, *at->second.change));
  }
  return names;
}

std::string Sentence(const CiReport& report) {
  const auto at = report.changes.find("step_ms");
  const std::string unit = report.now.by_steps ? "step " : "run ";
  std::string text = report.gpu + ": ";
  if (at == report.changes.end() || !at->second.change) {
    return text + unit + "time is unknown";
  }
  const Change& step = at->second;
  const bool any =
      std::any_of(report.changes.begin(), report.changes.end(),
                  [](const auto& each) { return each.second.differs(); });
  if (!any)
    return text + "no change: " + unit + ValueText(Unit::kMs, *step.now) +
           " ms";
  text += unit +
          (step.differs()
               ? RelativeText(step) + " (" + ValueText(Unit::kMs, *step.base) +
                     " -> " + ValueText(Unit::kMs, *step.now) + " ms)"
               : ValueText(Unit::kMs, *step.now) + " ms as before");
  const std::string named = Join(Named(report), ", ");
  return named.empty() ? text : text + ": " + named;
}

Table ChangedTable(const CiReport& report) {
  std::vector<QuantityChange> changed;
  for (const auto& [name, change] : report.changes) {
    const bool vanished = change.base.has_value() != change.now.has_value();
    if (change.differs() || vanished) {
      changed.push_back({name, FindQuantity(name), change});
    }
  }
  return ChangeTable("changed", changed);
}

}  // namespace

bool Any(const CiReport& report, Verdict verdict) {
  return std::any_of(
      report.rules.begin(), report.rules.end(), [&](const Rule& rule) {
        return Judge(rule, ChangeOfRule(report, rule)) == verdict;
      });
}

std::string CiText(const CiReport& report) {
  std::string text = Sentence(report) + '\n';
  for (const Rule& rule : report.rules) {
    const Change change = ChangeOfRule(report, rule);
    const Verdict verdict = Judge(rule, change);
    if (verdict == Verdict::kUnknown) {
      text += "  unknown " + rule.text + '\n';
    }
    if (verdict != Verdict::kFires) continue;
    text += "  fails " + rule.text + ": " +
            ValueText(rule.row->unit, *change.base) + " -> " +
            ValueText(rule.row->unit, *change.now) + '\n';
  }
  const Table table = ChangedTable(report);
  return table.rows.empty() ? text : text + RenderText(table);
}

std::string UnlikeVersions(const BaselineRun& base, const BaselineRun& now) {
  std::vector<std::string> unlike;
  std::map<std::string, std::string> names = base.made_with;
  names.insert(now.made_with.begin(), now.made_with.end());
  const auto in = [](const BaselineRun& run, const std::string& name) {
    const auto at = run.made_with.find(name);
    return at == run.made_with.end() ? std::string("none") : at->second;
  };
  for (const auto& [name, version] : names) {
    if (in(base, name) == in(now, name)) continue;
    unlike.push_back(name + " " + in(base, name) + " against " + in(now, name));
  }
  if (base.by_steps != now.by_steps) {
    unlike.push_back("steps were found in one of them only");
  }
  for (const auto& [name, value] : base.quantities) {
    if (FindQuantity(name) != nullptr) continue;
    unlike.push_back("the baseline's " + Printable(name) + " is unknown here");
  }
  return Join(unlike, ", ");
}

}  // namespace dltap::analyzer
