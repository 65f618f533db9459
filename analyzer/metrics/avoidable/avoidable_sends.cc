// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/attribution/calls/op_kinds.h"
#include "analyzer/metrics/avoidable/avoidable.h"
#include "analyzer/metrics/avoidable/kernel_traits.h"
#include "analyzer/metrics/base/call_arguments.h"
#include "analyzer/metrics/collectives/collective_calls.h"

// What ranks send each other that they need not, and copy for it.
namespace dltap::analyzer {

using opmodel::Dim;

bool AvoidableKeeper::HasCollectives(const TraceModel& model) {
  return std::ranges::any_of(model.entry_points, [](const EntryPoint& entry) {
    return entry.info != nullptr &&
           entry.info->library == specs::Library::kNccl;
  });
}

// Gradients are sent as all-reduces: other collectives are of weights, of
// activations or of parts of gradients, which each pass needs.
void AvoidableKeeper::FollowAllReduces(const Part& part) {
  const bool is_known = part.attributed.owner.known();
  if (!is_known || (part.traits & kAllReduceName) == 0) return;
  double bytes = 0;
  for (const WantedCollective& wanted :
       WantedBy(model_, process_, part.attributed.owner.value())) {
    const Call& call = process_.calls[wanted.call];
    const double size = static_cast<double>(wanted.elements_in.value_or(0)) *
                        opmodel::BitsOf(wanted.dtype) / 8;
    const int64_t address =
        CallArguments(model_, process_, call).Get(Meaning::kPointerSend, 0);
    bytes += size;
    if (address == 0) continue;
    buckets_.Add(static_cast<uint64_t>(address), static_cast<uint64_t>(size));
  }
  micro_batches_.AddAllReduce(bytes, part.ns, part.is_new);
}

void AvoidableKeeper::FollowBucketCopies(const Part& part) {
  if (!sends_ || part.activity.kind != ActivityKind::kMemcpy ||
      part.activity.copy != CopyKind::kDeviceToDevice ||
      !part.attributed.submitted_by.known()) {
    return;
  }
  const Call& call = process_.calls[part.attributed.submitted_by.value()];
  const CallArguments arguments(model_, process_, call);
  for (const Meaning end : {Meaning::kPointerDst, Meaning::kPointerSrc}) {
    const int64_t address = arguments.Get(end, 0);
    if (!buckets_.Holds(static_cast<uint64_t>(address))) continue;
    AddTo(Avoidable::kBucketCopies, part, {});
    return;
  }
}

// Where ranks send gradients: those have as many elements as the weights.
EqualPasses::Weights AvoidableKeeper::SentWeights(const Part& part) const {
  const WorkKind* kind = sends_ ? KindOf(part.attributed) : nullptr;
  if (kind == nullptr || part.attributed.layer_class != LayerClass::kGemm) {
    return {};
  }
  const opmodel::Operation& op = kind->leading;
  return {FirstOperand(part.attributed),
          static_cast<double>(op[Dim::kM]) * static_cast<double>(op[Dim::kK])};
}

}  // namespace dltap::analyzer
