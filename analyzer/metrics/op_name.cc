// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/op_name.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/name_rules.h"

namespace dltap::analyzer {
namespace {

// "void ns::kernel<...>(...)" -> "ns::kernel"; casts are all one operation.
std::string ShortKernelName(std::string_view name) {
  std::string text = Demangle(name);
  if (IsCast(text)) return "cast";
  std::string_view view = text;
  if (view.starts_with("void ")) view.remove_prefix(5);
  const size_t end = view.find_first_of("<(", 1);
  return std::string(view.substr(0, end));
}

}  // namespace

std::string Scalars(const opmodel::Operation& op) {
  std::string text;
  for (size_t i = 0; i < op.dims.size(); ++i) {
    const int64_t value = op.dims[i];
    const bool implied =
        value == 1 && i == static_cast<size_t>(opmodel::Dim::kBatch);
    if (value == 0 || implied) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    specs::Words<opmodel::Dim>::kShortNames[i], "=", value);
  }
  const auto type = static_cast<size_t>(op.math);
  if (type != 0 && type < specs::Words<opmodel::DType>::kCount) {
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    specs::Words<opmodel::DType>::kNames[type]);
  }
  return text;
}

std::string OpName(const TraceModel& model, const Process& process,
                   const ProcessAttribution& attribution,
                   const Attributed& attributed) {
  std::string name;
  std::string detail;
  if (attributed.owner.known()) {
    const Call& call = process.calls[attributed.owner.value()];
    name = model.entry_points[call.entry.value()].symbol;
    if (call.function.known()) {
      detail = ShortKernelName(model.texts[call.function]);
    }
  }
  if (attributed.work.known()) {
    detail = Scalars(attribution.works[attributed.work.value()].leading);
  }
  if (name.empty()) return detail;
  return detail.empty() ? name : absl::StrCat(name, " ", detail);
}

}  // namespace dltap::analyzer
