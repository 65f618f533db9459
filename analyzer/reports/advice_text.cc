// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/advice_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/reports/count_text.h"
#include "analyzer/reports/json_rows.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"
#include "analyzer/reports/wrap.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kTry = "  try   ";
constexpr size_t kMostPadding = 56;  // columns; longer texts stand as they are
constexpr double kExact = 0.1;       // of the step, so far apart at most

std::string Saved(double share) {
  return "-" + PercentText(share, share < 0.095 ? 1 : 0);
}

std::string Padded(std::string text, size_t width) {
  const size_t now = DisplayWidth(text);
  return now < width ? text + std::string(width - now, ' ') : text;
}

// Whose advice it is, if not everyone's.
std::string Whose(const Advice& advice) {
  if (!advice.process) return "";
  if (advice.process->rank) {
    return "rank " + std::to_string(*advice.process->rank) + ": ";
  }
  return ProcessName(*advice.process) + ": ";
}

std::string Act(const Advice& advice) {
  return Printable(Whose(advice) + advice.act);
}

std::string TryLine(const Advice& advice, size_t width) {
  const std::string indent(kTry.size(), ' ');
  const std::string line =
      std::string(kTry) + Padded(Act(advice), width) + "  " + GainText(advice);
  const std::string why = "(" + Printable(advice.why) + ")";
  if (DisplayWidth(line) > PageWidth()) {
    std::string lines = Wrap(
        indent + Act(advice) + ": " + GainText(advice) + " " + why, indent);
    return lines.replace(0, kTry.size(), kTry);
  }
  if (DisplayWidth(line) + 3 + DisplayWidth(why) <= PageWidth()) {
    return line + "   " + why + "\n";
  }
  return line + "\n" + Wrap(indent + why, indent);
}

std::string Seen(const Advice& advice) {
  const uint64_t steps = advice.evidence.steps;
  if (steps == 0) return "of the whole run as one step";
  return "seen in " + std::to_string(advice.evidence.steps_seen) + " of " +
         Count(steps, "step");
}

std::string EvidenceText(const Advice& advice) {
  std::vector<std::string> parts = {
      Ms(advice.evidence.ns) + " ms a step" +
          (advice.evidence.share
               ? " (" + PercentText(advice.evidence.share) + ")"
               : ""),
      Fixed(advice.evidence.count, 1) + " times a step", Seen(advice)};
  if (!advice.evidence.calls.empty()) {
    parts.push_back(Join(advice.evidence.calls, ", "));
  }
  if (!advice.evidence.ops.empty()) {
    parts.push_back(Join(advice.evidence.ops, ", "));
  }
  parts.push_back("gain " + Ms(advice.gain_low_ns) + " to " +
                  Ms(advice.gain_high_ns) + " ms, " +
                  std::string(Name(advice.basis)));
  return Printable(Join(parts, " · "));
}

void WriteTexts(std::string_view key, const std::vector<std::string>& texts,
                JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& text : texts) json.Value(text);
  json.EndArray();
}

void WriteEvidence(const Evidence& evidence, JsonWriter& json) {
  json.Key("evidence");
  json.BeginObject();
  json.Field("count", evidence.count);
  json.Field("ns", evidence.ns);
  json.Field("share", evidence.share);
  WriteTexts("calls", evidence.calls, json);
  WriteTexts("ops", evidence.ops, json);
  json.Field("steps_seen", evidence.steps_seen);
  json.Field("steps", evidence.steps);
  json.EndObject();
}

void WriteMaybe(std::string_view key, std::string_view name, JsonWriter& json) {
  json.Key(key);
  name.empty() ? json.Null() : json.Value(name);
}

// Into an object that the caller has opened.
void WriteFields(const Advice& advice, JsonWriter& json) {
  json.Field("id", advice.id);
  json.Field("text", advice.act + ": " + GainText(advice));
  json.Field("act", advice.act);
  json.Field("why", advice.why);
  WriteMaybe("class", advice.layer_class ? Name(*advice.layer_class) : "",
             json);
  WriteMaybe("phase", advice.phase ? Name(*advice.phase) : "", json);
  json.Field("rank", advice.process ? advice.process->rank : std::nullopt);
  WriteMaybe("process", advice.process ? ProcessName(*advice.process) : "",
             json);
  WriteEvidence(advice.evidence, json);
  json.Field("gain_ns", advice.gain_ns);
  json.Field("gain_low_ns", advice.gain_low_ns);
  json.Field("gain_high_ns", advice.gain_high_ns);
  json.Field("gain_share", advice.gain_share);
  json.Field("gain_low_share", advice.gain_low_share);
  json.Field("gain_high_share", advice.gain_high_share);
  json.Field("more", advice.more);
  json.Field("basis", Name(advice.basis));
}

}  // namespace

std::string GainText(const Advice& advice) {
  const std::string of = advice.more ? " more" : " step";
  if (advice.gain_high_share - advice.gain_low_share <= kExact) {
    return "about " + Saved(advice.gain_share) + of;
  }
  return Saved(advice.gain_low_share) + " to " + Saved(advice.gain_high_share) +
         of;
}

std::string TryLines(const AdviceList& list) {
  size_t width = 0;
  for (const Advice& advice : list.given) {
    width = std::max(width, std::min(DisplayWidth(Act(advice)), kMostPadding));
  }
  std::string text;
  for (const Advice& advice : list.given) text += TryLine(advice, width);
  return text;
}

std::string AdviceEvidence(const AdviceList& list, bool has_fixed_costs) {
  std::string text;
  if (list.given.empty() && list.held_back.empty()) {
    text = "advice: no rule found anything to do\n";
  }
  if (has_fixed_costs) {
    text += Wrap(
        "advice about the host (reads, launches, input): none can be given, "
        "as host times are fixed costs of the simulation",
        "  ");
  }
  for (const Advice& advice : list.given) {
    text +=
        Wrap("advice " + std::string(advice.id) + ": " + Act(advice) + ": " +
                 GainText(advice) + " (" + Printable(advice.why) + ")",
             "  ") +
        Wrap("  " + EvidenceText(advice), "  ");
  }
  for (const HeldBack& held : list.held_back) {
    text += Wrap("held back " + std::string(held.advice.id) + ": " +
                     Act(held.advice) + " (" + Printable(held.advice.why) +
                     "): " + held.reason,
                 "  ") +
            Wrap("  " + EvidenceText(held.advice), "  ");
  }
  return text;
}

void WriteAdvice(const AdviceList& list, JsonWriter& json) {
  json.Key("advice");
  json.BeginArray();
  for (const Advice& advice : list.given) {
    json.BeginObject();
    WriteFields(advice, json);
    json.EndObject();
  }
  json.EndArray();
  json.Key("advice_held_back");
  json.BeginArray();
  for (const HeldBack& held : list.held_back) {
    json.BeginObject();
    WriteFields(held.advice, json);
    json.Field("reason", held.reason);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace dltap::analyzer
