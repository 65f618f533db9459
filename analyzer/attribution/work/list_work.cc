// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work/list_work.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/attribution/names/template_text.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::OpKind;

using Views = std::vector<std::string_view>;

bool IsRealFloat(DType type) {
  return type == DType::kF64 || type == DType::kF32 || type == DType::kF16 ||
         type == DType::kBf16;
}

// "CatArrayBatchedCopy<OpaqueType<4u>, ...>": read once, written once.
std::optional<ListKernel> CopyOf(const Views& arguments) {
  if (arguments.empty() || !arguments[0].ends_with("u>")) return std::nullopt;
  std::string_view size = arguments[0].substr(0, arguments[0].size() - 1);
  size.remove_prefix(std::min(size.rfind('<') + 1, size.size()));
  switch (TemplateNumber(size).value_or(0)) {
    case 1: return ListKernel{DType::kU8, 1};
    case 2: return ListKernel{DType::kI16, 1};
    case 4: return ListKernel{DType::kI32, 1};
    case 8: return ListKernel{DType::kI64, 1};
    case 16: return ListKernel{DType::kC128, 1};
    default: return std::nullopt;
  }
}

// "FusedAdamMathFunctor<T, lists, ...>": all but the gradients are written,
// too.
std::optional<ListKernel> AdamOf(const Views& functor) {
  if (functor.size() < 2) return std::nullopt;
  const DType type = ElementType(functor[0]);
  const int64_t lists = TemplateNumber(functor[1]).value_or(0);
  if (lists < 4 || lists > 5 || !IsRealFloat(type)) return std::nullopt;
  return ListKernel{type, 2 * lists - 2};
}

// "BinaryOpScalarFunctor<T, lists, lists read, the one written>".
std::optional<ListKernel> MapOf(const Views& functor) {
  if (functor.size() != 4) return std::nullopt;
  const DType type = ElementType(functor[0]);
  const int64_t lists = TemplateNumber(functor[1]).value_or(0);
  const int64_t read = TemplateNumber(functor[2]).value_or(0);
  if (!IsRealFloat(type) || read < 1 || read > lists) return std::nullopt;
  return ListKernel{type, read};
}

class ListPass {
 public:
  ListPass(const TraceModel& model, const Process& process,
           ProcessAttribution& attribution)
      : model_(model), process_(process), attribution_(attribution) {}

  void Run() {
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const Activity& activity = process_.activities[i];
      const WorkId id = attribution_.activities[i].traffic;
      if (activity.kind != ActivityKind::kKernel || !id.known()) continue;
      Work& work = attribution_.works[id.value()];
      if (IsOpen(attribution_.KindOf(work))) {
        work.kind = Completed(work, activity.name);
      }
    }
  }

 private:
  static bool IsOpen(const WorkKind& kind) {
    return !kind.cost && kind.leading.storage == DType::kUnknown &&
           kind.leading[Dim::kElementsOut] > 0;
  }

  uint32_t Completed(const Work& work, TextId name) {
    const auto [it, is_new] = kinds_.try_emplace({work.kind, name});
    if (!is_new) return it->second;
    it->second = work.kind;
    const auto kernel = ListKernelOf(Demangle(model_.texts[name]));
    if (!kernel) return it->second;
    WorkKind kind = attribution_.KindOf(work);
    opmodel::Operation& op = kind.leading;
    op.storage = kernel->type;
    op.math = kernel->type == DType::kF64 ? DType::kF64 : DType::kF32;
    op[Dim::kElementsIn] = op[Dim::kElementsOut] * kernel->moved;
    kind.cost = opmodel::CostOf(op);
    if (!kind.cost) return it->second;
    // One node for each arithmetic step.
    kind.cost->flops *=
        static_cast<double>(model_.operations[work.operation.value()].size());
    it->second = static_cast<uint32_t>(attribution_.work_kinds.size());
    attribution_.work_kinds.push_back(kind);
    return it->second;
  }

  const TraceModel& model_;
  const Process& process_;
  ProcessAttribution& attribution_;
  absl::flat_hash_map<std::pair<uint32_t, TextId>, uint32_t> kinds_;
};

}  // namespace

std::optional<ListKernel> ListKernelOf(std::string_view demangled) {
  const Views arguments = TemplateArguments(demangled);
  if (demangled.find("::CatArrayBatchedCopy") != demangled.npos) {
    return CopyOf(arguments);
  }
  const bool applies =
      demangled.find("::multi_tensor_apply_kernel<") != demangled.npos;
  if (!applies || arguments.size() < 2) return std::nullopt;
  const std::string_view functor = arguments[1];
  const Views inner = TemplateArguments(functor);
  if (functor.find("FusedAdamMathFunctor<") != functor.npos) {
    return AdamOf(inner);
  }
  const bool maps = functor.find("OpFunctor<") != functor.npos ||
                    functor.find("OpScalar") != functor.npos ||
                    functor.find("OpList") != functor.npos;
  return maps ? MapOf(inner) : std::nullopt;
}

void AddListWorks(const TraceModel& model, const Process& process,
                  ProcessAttribution& attribution) {
  if (model.format != SourceFormat::kKineto) return;
  ListPass(model, process, attribution).Run();
}

}  // namespace dltap::analyzer
