// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_ANALYZER_ADVICE_ADVICE_OF_TEXT_H_
#define DLTAP_TESTS_UNIT_ANALYZER_ADVICE_ADVICE_OF_TEXT_H_

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "analyzer/advice/advise.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {

// What is advised to a trace in the text grammar.
inline AdviceList AdviceOf(const std::string& text) {
  const TraceModel model = TraceFromText(text);
  const Summary summary = Summarise(model, Attribute(model));
  const Figures figures = FiguresOf(summary);
  return Advise(summary, figures);
}

// nullptr: it is not given. A copy: lists are often temporaries.
inline std::unique_ptr<const Advice> Given(const AdviceList& list,
                                           std::string_view id) {
  for (const Advice& advice : list.given) {
    if (advice.id == id) return std::make_unique<const Advice>(advice);
  }
  return nullptr;
}

// Empty: it was given, or not found.
inline std::string WhyHeldBack(const AdviceList& list, std::string_view id) {
  for (const HeldBack& held : list.held_back) {
    if (held.advice.id == id) return held.reason;
  }
  return "";
}

inline bool IsSilent(const AdviceList& list) {
  return list.given.empty() && list.held_back.empty();
}

// A line of the trace: {"kernel t=", 5, "..", 9, "us ..."}.
template <typename... Parts>
std::string Line(const Parts&... parts) {
  std::string line;
  const auto add = [&line](const auto& part) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>) {
      line += std::to_string(part);
    } else {
      line += part;
    }
  };
  (add(parts), ...);
  return line + "\n";
}

inline constexpr std::string_view kH100 =
    "device 0 name=\"NVIDIA H100 80GB HBM3\" cc=9.0 sms=132\n";

}  // namespace dltap::analyzer

#endif  // DLTAP_TESTS_UNIT_ANALYZER_ADVICE_ADVICE_OF_TEXT_H_
