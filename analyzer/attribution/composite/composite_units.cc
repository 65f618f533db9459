// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/composite_units.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/hash/hash.h"
#include "analyzer/attribution/base/launch_shape.h"
#include "analyzer/attribution/base/operand_address.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

uint32_t TraitsOfName(std::string_view name) {
  uint32_t traits = 0;
  if (Has(name, "sigmoid") || Has(name, "logistic")) traits |= kSigmoid;
  if (Has(name, "tanh") && !Has(name, "atanh")) traits |= kTanh;
  if (Has(name, "clamp_min") || Has(name, "launch_clamp_scalar") ||
      Has(name, "relu") || Has(name, "threshold_kernel")) {
    traits |= kRelu;
  }
  if (Has(name, "Functor_add") || Has(name, "_add_")) traits |= kAdd;
  if (Has(name, "UnaryFunctor") && Has(name, "MulFunctor")) traits |= kScale;
  if (Has(name, "BinaryFunctor") && Has(name, "MulFunctor")) traits |= kTimes;
  if (Has(name, "triu_tril") || Has(name, "where_kernel")) traits |= kMask;
  if (Has(name, "where_kernel")) traits |= kSelects;
  if (Has(name, "fmha_cutlassB")) traits |= kTakesDelta;
  if (name.starts_with("triton_softmax") || name.starts_with("softmax_fus") ||
      name == "fusion" || name.starts_with("fusion_")) {
    traits |= kRows;
  }
  if (Has(name, "rsqrt_kernel")) traits |= kRoot;
  if (Has(name, "pow_tensor_scalar_kernel")) traits |= kPower;
  if (Has(name, "MeanOps")) traits |= kMean;
  if (Has(name, "WelfordOps")) traits |= kVariance;
  if (Has(name, "::sqrt_kernel")) traits |= kSquareRoot;
  if (Has(name, "OnSelf_add") || Has(name, "OnOther_add")) {
    traits |= kAddNumber;
  }
  if (Has(name, "BinaryFunctor") && Has(name, "DivFunctor")) traits |= kDivide;
  if (Has(name, "::elementwise_kernel<")) traits |= kStrided;
  if (Has(name, "lstm_cell") || Has(name, "gru_cell")) traits |= kCell;
  if (Has(name, "elu") || Has(name, "Gelu") || Has(name, "silu")) {
    if ((traits & kRelu) == 0) traits |= kOtherAct;
  }
  if (Has(name, "cub::") || Has(name, "Sort") || Has(name, "thrust::") ||
      Has(name, "arange")) {
    traits |= kSort;
  }
  if (Has(name, "compute_grad_weight") || Has(name, "sum_and_scatter") ||
      Has(name, "_partial_segments") || Has(name, "krn_partial") ||
      Has(name, "indexing_backward")) {
    traits |= kScatter;
  }
  return traits;
}

}  // namespace

bool IsBatched(const Unit& unit) {
  return unit.product && unit.product->batch != 1;
}

bool IsPointwise(const Unit& unit) {
  switch (unit.layer_class) {
    case LayerClass::kElementwise:
    case LayerClass::kActivation:
    case LayerClass::kDropout:
    case LayerClass::kLayout:
    case LayerClass::kReduction: return true;
    default: return false;
  }
}

std::vector<Unit> UnitMaker::Run(std::span<const size_t> activities) {
  std::vector<Unit> units;
  units.reserve(activities.size());
  for (size_t i = 0; i < activities.size(); ++i) {
    if (i > 0 && Continues(activities[i], activities[i - 1])) {
      std::span<const size_t>& unit = units.back().activities;
      unit = std::span(unit.data(), unit.size() + 1);
    } else {
      units.push_back(MakeUnit(activities.subspan(i, 1)));
    }
  }
  return units;
}

bool UnitMaker::Continues(size_t activity, size_t previous) const {
  const Attributed& a = attribution_.activities[activity];
  const Attributed& b = attribution_.activities[previous];
  if (a.work.known() || b.work.known()) return a.work == b.work;
  // Without shapes the range that launched both is what there is.
  return a.layer_class == LayerClass::kGemm &&
         b.layer_class == LayerClass::kGemm && a.ruling.known() &&
         a.ruling == b.ruling;
}

Unit UnitMaker::MakeUnit(std::span<const size_t> activities) {
  const size_t activity = activities.front();
  const Attributed& attributed = attribution_.activities[activity];
  Unit unit;
  unit.activities = activities;
  unit.layer_class = attributed.layer_class;
  unit.direction = attributed.direction;
  if (process_.activities[activity].kind == ActivityKind::kKernel) {
    unit.traits = TraitsOf(process_.activities[activity].name);
  }
  if (unit.layer_class == LayerClass::kGemm) {
    unit.product = ProductOf(activity);
    unit.traits = 0;
  }
  if (unit.layer_class == LayerClass::kSoftmax) {
    unit.softmax = SoftmaxOf(activity);
  }
  return unit;
}

const Product& UnitMaker::ProductOfKind(uint32_t kind) {
  std::optional<Product>& product = products_[kind];
  if (!product) {
    const opmodel::Operation& op = attribution_.work_kinds[kind].leading;
    product.emplace();
    product->batch = op[Dim::kBatch] == 0 ? 1 : op[Dim::kBatch];
    product->m = op[Dim::kM];
    product->n = op[Dim::kN];
    product->k = op[Dim::kK];
    product->signature = absl::HashOf(op.dims);
  }
  return *product;
}

std::optional<Product> UnitMaker::ProductOf(size_t activity) {
  const Attributed& attributed = attribution_.activities[activity];
  const Activity& kernel = process_.activities[activity];
  Product product;
  const Work* work = attributed.work.known()
                         ? &attribution_.works[attributed.work.value()]
                         : nullptr;
  if (work != nullptr &&
      attribution_.KindOf(*work).leading.kind == opmodel::OpKind::kGemm) {
    product = ProductOfKind(work->kind);
    // BLAS counts columns first: PyTorch's rows are its columns.
    product.width = work->call.known() ? product.m : product.n;
    if (work->call.known()) {
      product.first =
          OperandAddress(model_, process_, process_.calls[work->call.value()],
                         Meaning::kPointerA);
    }
    return product;
  }
  const std::string_view name =
      attributed.ruling.known()
          ? model_.texts[process_.ranges[attributed.ruling.value()].name]
          : model_.texts[kernel.name];
  product.batch = Has(name, "bmm") || Has(name, "Bmm") ? 0 : 1;
  const LaunchShape shape = ShapeOf(process_, kernel);
  product.signature = absl::HashOf(kernel.name.value(), shape.grid);
  return product;
}

// By its launch; an imported operator tells how many elements it has.
SoftmaxSize UnitMaker::SoftmaxOf(size_t activity) {
  const Activity& kernel = process_.activities[activity];
  const WorkId work = attribution_.activities[activity].work;
  SoftmaxSize size;
  if (kernel.kind == ActivityKind::kKernel && kernel.name.known()) {
    const auto [it, is_new] =
        softmaxes_.try_emplace(LaunchKey{kernel.name, kernel.shape});
    if (is_new) {
      it->second = SizeOfSoftmax(Demangle(model_.texts[kernel.name]),
                                 ShapeOf(process_, kernel));
    }
    size = it->second;
  }
  if (work.known()) {
    const opmodel::Operation& op = attribution_.KindOf(work).leading;
    if (op.kind == opmodel::OpKind::kSoftmaxForward ||
        op.kind == opmodel::OpKind::kSoftmaxBackward) {
      size.elements = op[Dim::kElementsOut];
    }
  }
  return size;
}

uint32_t UnitMaker::TraitsOf(TextId name) {
  if (!name.known()) return 0;
  std::optional<uint32_t>& traits = traits_[name.value()];
  if (!traits) {
    const std::string demangled = Demangle(model_.texts[name]);
    traits = TraitsOfName(KernelPath(demangled));
    const NameRule* rule = MatchKernelName(demangled);
    if (rule != nullptr && rule->outranks) *traits |= kPlain;
  }
  return *traits;
}

void MoveUnit(const Process& process, const Unit& unit, LayerClass layer_class,
              ProcessAttribution& attribution) {
  if ((unit.traits & kPlain) != 0) return;
  for (const size_t i : unit.activities) {
    Attributed& activity = attribution.activities[i];
    if (IsCopyOrMemset(activity.layer_class)) continue;
    if (activity.layer_class == layer_class) continue;
    activity.layer_class = layer_class;
    activity.class_from = ClassFrom::kComposite;
    const Activity& span = process.activities[i];
    attribution.composite_ns += span.end_ns - span.begin_ns;
  }
}

}  // namespace dltap::analyzer
