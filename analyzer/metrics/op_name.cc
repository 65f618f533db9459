// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/op_name.h"

#include <array>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/name_rules.h"

namespace dltap::analyzer {
namespace {

// In the order of opmodel::Dim.
constexpr std::array<std::string_view, 34> kDimNames = {"batch",
                                                        "m",
                                                        "n",
                                                        "k",
                                                        "c",
                                                        "k_out",
                                                        "d",
                                                        "h",
                                                        "w",
                                                        "t",
                                                        "r",
                                                        "s",
                                                        "d_out",
                                                        "h_out",
                                                        "w_out",
                                                        "groups",
                                                        "seq",
                                                        "input",
                                                        "hidden",
                                                        "proj",
                                                        "layers",
                                                        "directions",
                                                        "heads",
                                                        "kv_heads",
                                                        "seq_q",
                                                        "seq_kv",
                                                        "head_dim",
                                                        "head_dim_v",
                                                        "causal",
                                                        "elements",
                                                        "elements_out",
                                                        "rows",
                                                        "transa",
                                                        "transb"};
static_assert(kDimNames.size() == static_cast<size_t>(opmodel::Dim::kCount));

// In the order of opmodel::DType.
constexpr std::array<std::string_view, 17> kTypeNames = {
    "",   "f64", "f32", "tf32", "f16",  "bf16", "f8e4m3", "f8e5m2", "f4e2m1",
    "i8", "i32", "i64", "u8",   "bool", "c64",  "c128",   "i16"};

// "void ns::kernel<...>(...)" -> "ns::kernel".
std::string ShortKernelName(std::string_view name) {
  std::string text = Demangle(name);
  std::string_view view = text;
  if (view.starts_with("void ")) view.remove_prefix(5);
  const size_t end = view.find_first_of("<(", 1);
  return std::string(view.substr(0, end));
}

}  // namespace

std::string Scalars(const opmodel::Operation& op) {
  std::string text;
  for (size_t i = 0; i < kDimNames.size(); ++i) {
    const int64_t value = op.dims[i];
    const bool implied =
        value == 1 && i == static_cast<size_t>(opmodel::Dim::kBatch);
    if (value == 0 || implied) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    absl::string_view(kDimNames[i].data(), kDimNames[i].size()),
                    "=", value);
  }
  const auto type = static_cast<size_t>(op.math);
  if (type != 0 && type < kTypeNames.size()) {
    absl::StrAppend(
        &text, text.empty() ? "" : " ",
        absl::string_view(kTypeNames[type].data(), kTypeNames[type].size()));
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
