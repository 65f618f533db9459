// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/op_name.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/names/name_rules.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kUnnamed = "(anonymous namespace)";

// Where the template or function arguments begin.
size_t EndOfPath(std::string_view name) {
  for (size_t at = 0; at < name.size(); ++at) {
    if (name.substr(at).starts_with(kUnnamed)) {
      at += kUnnamed.size() - 1;
    } else if (at > 0 && (name[at] == '<' || name[at] == '(')) {
      return at;
    }
  }
  return name.size();
}

bool Launches(const TraceModel& model, const Call& call) {
  const auto* info = model.entry_points[call.entry.value()].info;
  return info != nullptr && (info->kind == specs::Kind::kLaunch ||
                             info->kind == specs::Kind::kGraphLaunch);
}

// The imported operator that gives the class; none: no operator does.
TextId OperatorOf(const Process& process, const Attributed& attributed) {
  if (!attributed.ruling.known()) return {};
  const Range& range = process.ranges[attributed.ruling.value()];
  return range.kind == RangeKind::kFrameworkOp ? range.name : TextId{};
}

bool IsTransposition(opmodel::Dim dim) {
  return dim == opmodel::Dim::kTransA || dim == opmodel::Dim::kTransB;
}

// As BLAS writes them, A first: " tn"; empty: none is.
std::string Transpositions(const opmodel::Operation& op) {
  const bool a = op[opmodel::Dim::kTransA] != 0;
  const bool b = op[opmodel::Dim::kTransB] != 0;
  if (!a && !b) return "";
  return absl::StrCat(" ", a ? "t" : "n", b ? "t" : "n");
}

}  // namespace

std::string_view NameOfCopy(const Activity& activity) {
  if (activity.kind == ActivityKind::kMemset) return "memset";
  switch (activity.copy) {
    case CopyKind::kHostToDevice: return "memcpy HtoD";
    case CopyKind::kDeviceToHost: return "memcpy DtoH";
    case CopyKind::kDeviceToDevice: return "memcpy DtoD";
    case CopyKind::kPeer: return "memcpy PtoP";
    default: return "memcpy";
  }
}

std::string ShortKernelName(std::string_view name) {
  const std::string text = Demangle(name);
  if (IsCast(text)) return "cast";
  std::string_view view = text;
  if (view.starts_with("void ")) view.remove_prefix(5);
  return std::string(view.substr(0, EndOfPath(view)));
}

std::string Scalars(const opmodel::Operation& op) {
  std::string text;
  for (size_t i = 0; i < op.dims.size(); ++i) {
    const int64_t value = op.dims[i];
    const auto dim = static_cast<opmodel::Dim>(i);
    const bool implied = value == 1 && dim == opmodel::Dim::kBatch;
    if (value == 0 || implied || IsTransposition(dim)) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    specs::Words<opmodel::Dim>::kShortNames[i], "=", value);
  }
  absl::StrAppend(&text, Transpositions(op));
  const auto type = static_cast<size_t>(op.math);
  if (type != 0 && type < specs::Words<opmodel::DType>::kCount) {
    absl::StrAppend(&text, text.empty() ? "" : " ",
                    specs::Words<opmodel::DType>::kNames[type]);
  }
  return text;
}

OpIdentity IdentityOf(const TraceModel& model, const Process& process,
                      const ProcessAttribution& attribution, size_t activity) {
  const Attributed& attributed = attribution.activities[activity];
  OpIdentity op;
  if (attributed.work.known()) {
    op.scalars = &attribution.KindOf(attributed.work).leading;
  }
  if (const TextId name = OperatorOf(process, attributed); name.known()) {
    op.name = name;
    return op;
  }
  if (!attributed.owner.known()) return op;
  const Call& call = process.calls[attributed.owner.value()];
  op.entry = call.entry;
  if (op.scalars != nullptr) return op;
  op.name = call.function;
  // Importers know no functions of calls.
  if (!op.name.known() && Launches(model, call)) {
    op.name = process.activities[activity].name;
  }
  return op;
}

std::string OpName(const TraceModel& model, const OpIdentity& op) {
  std::string detail;
  if (op.scalars != nullptr) {
    detail = Scalars(*op.scalars);
  } else if (op.entry.known() && op.name.known()) {
    detail = ShortKernelName(model.texts[op.name]);
  }
  std::string name;
  if (op.entry.known()) {
    name = model.entry_points[op.entry.value()].symbol;
  } else if (op.name.known()) {
    name = model.texts[op.name];
  }
  if (name.empty() || detail.empty()) return name + detail;
  return absl::StrCat(name, " ", detail);
}

}  // namespace dltap::analyzer
