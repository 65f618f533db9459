// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/metrics/avoidable/avoidable.h"
#include "analyzer/metrics/avoidable/kernel_traits.h"

// What of a step's update could be done in a quicker way.
namespace dltap::analyzer {
namespace {

// Share of the memory's peak that even badly shaped updates reach.
constexpr double kWorstUpdateShare = 0.75;

// Of one element that Adam's addcdiv moves in four accesses, the fused update
// moves weight, gradient and two moments in, and all but the gradient out.
constexpr double kFusedAdamBytes = 28.0 / 16;
// Of what updates without addcdiv move, the fused ones move: momentum in three
// kernels of 32 bytes an element becomes 20; nothing becomes more.
constexpr double kFusedLeastBytes = 0.4;
// The same of lists of tensors: 28 of 72 to 84 bytes, and 20 of 32.
constexpr double kListAdamBest = 0.33;
constexpr double kListAdamWorst = 0.5;
constexpr double kListBest = 0.55;
constexpr double kListWorst = 0.85;

// Kernels that are kept to see what they lie beside.
constexpr size_t kMostOfAnUpdate = size_t{1} << 20;

}  // namespace

void AvoidableKeeper::AddUpdate(const Part& part) {
  const LayerClass layer_class = part.attributed.layer_class;
  if (layer_class != LayerClass::kElementwise &&
      layer_class != LayerClass::kReduction &&
      layer_class != LayerClass::kOptimizer) {
    return;
  }
  const uint64_t traits = part.traits;
  const bool is_reduction = layer_class == LayerClass::kReduction;
  UpdateKernel kernel{.of = UpdateKernel::Of::kUnknown,
                      .last_of_adam = (traits & kAddcdivName) != 0,
                      .sums_lists = (traits & kListSumName) != 0,
                      .is_new = part.is_new,
                      .ns = part.ns,
                      .bytes = part.efficiency.bytes};
  if ((traits & kFusedUpdateName) != 0) {
    kernel.of = UpdateKernel::Of::kWholeUpdate;
  } else if ((traits & kListName) != 0) {
    kernel.of = UpdateKernel::Of::kList;
  } else if (kernel.bytes > 0 && !is_reduction) {
    kernel.of = UpdateKernel::Of::kTensor;
  }
  update_.Add(kernel);
  if (update_.kernels().size() >= kMostOfAnUpdate) FinishUpdateRun();
}

void AvoidableKeeper::AddToUpdate(const UpdateKernel& kernel) {
  const AvoidableSums one{.count = kernel.is_new ? 1U : 0U,
                          .ns = static_cast<int64_t>(kernel.ns)};
  if (kernel.of == UpdateKernel::Of::kList) {
    AddSums(Avoidable::kListUpdate, one);
    if (kernel.last_of_adam) list_addcdiv_ns_ += kernel.ns;
  } else if (kernel.of == UpdateKernel::Of::kTensor) {
    AddSums(Avoidable::kTensorUpdate, one);
    const bool untold = !update_.tells_update() && !update_.has_tensor_adam();
    for (TensorSums* sums : {&tensors_, untold ? &untold_ : nullptr}) {
      if (sums == nullptr) continue;
      sums->count += one.count;
      sums->ns += one.ns;
      sums->bytes += kernel.bytes;
      sums->addcdiv_bytes += kernel.last_of_adam ? kernel.bytes : 0;
    }
  }
}

// Kernels of one tensor are counted; the others may be a part of the same.
void AvoidableKeeper::AddBesideUpdate(Avoidable side,
                                      const UpdateKernel& kernel) {
  AvoidableSums one{.ns = static_cast<int64_t>(kernel.ns),
                    .worst_ns = kernel.ns};
  if (kernel.of == UpdateKernel::Of::kTensor) {
    one.count = kernel.is_new ? 1 : 0;
    if (gpu_ != nullptr) {
      one.worst_ns =
          std::min(kernel.ns, 1e9 * kernel.bytes / kWorstUpdateShare /
                                  gpu_->bandwidth_bytes_per_s);
    }
  }
  AddSums(side, one);
}

void AvoidableKeeper::FinishUpdateRun() {
  tells_update_ |= update_.tells_update();
  const std::vector<UpdateKernel>& kernels = update_.kernels();
  for (size_t i = 0; i < kernels.size(); ++i) {
    const std::optional<UpdateRun::Side> side = update_.SideOf(i);
    if (!side) {
      AddToUpdate(kernels[i]);
    } else {
      AddBesideUpdate(*side == UpdateRun::Side::kBefore
                          ? Avoidable::kBeforeUpdate
                          : Avoidable::kAfterUpdate,
                      kernels[i]);
    }
  }
  update_.Clear();
}

// What an update would do is known once all kernels are. Where the optimizer is
// fused or goes over lists, what follows other backward passes is none of it: a
// step of a formula's own, such as SAM's ascent.
void AvoidableKeeper::FinishUpdates() {
  AvoidableSums& tensors = Of(Avoidable::kTensorUpdate);
  if (tells_update_) {
    tensors.count -= untold_.count;
    tensors.ns -= untold_.ns;
    if (tensors.count == 0) tensors = {};
    tensors_.bytes -= untold_.bytes;
  }
  const auto tensors_ns = static_cast<double>(tensors.ns);
  tensors.best_ns = tensors.worst_ns = tensors_ns;
  if (gpu_ != nullptr && tensors_.bytes > 0) {
    const bool adam = tensors_.addcdiv_bytes > 0;
    const double most =
        adam ? kFusedAdamBytes * tensors_.addcdiv_bytes : tensors_.bytes;
    const double least = adam ? most : kFusedLeastBytes * tensors_.bytes;
    const double ns_per_byte = 1e9 / gpu_->bandwidth_bytes_per_s;
    tensors.best_ns = std::min(tensors_ns, least * ns_per_byte);
    tensors.worst_ns =
        std::min(tensors_ns, most * ns_per_byte / kWorstUpdateShare);
  }
  AvoidableSums& lists = Of(Avoidable::kListUpdate);
  const auto lists_ns = static_cast<double>(lists.ns);
  const bool adam = list_addcdiv_ns_ > 0;
  lists.best_ns = (adam ? kListAdamBest : kListBest) * lists_ns;
  lists.worst_ns = (adam ? kListAdamWorst : kListWorst) * lists_ns;
}

}  // namespace dltap::analyzer
