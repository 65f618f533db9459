// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/semantic_kernels.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/bytes/written_memory.h"
#include "simgpu/launch/kernel.h"
#include "simgpu/launch/launch.h"
#include "simgpu/stream/memory_effects.h"
#include "simgpu/torch/concat_call.h"
#include "simgpu/torch/cub_call.h"
#include "simgpu/torch/elementwise_call.h"
#include "simgpu/torch/foreach_call.h"
#include "simgpu/torch/index_call.h"
#include "simgpu/torch/range_call.h"
#include "simgpu/torch/reduce_call.h"
#include "simgpu/torch/scale_call.h"

namespace dltap::simgpu {
namespace {

// A mangled name that contains the text may be understood by the decoder.
struct SemanticsRow {
  std::string_view text;
  Decoder (*decoder)(const NameParts& kernel);
};

constexpr SemanticsRow kRows[] = {
    {"18elementwise_kernelI", ElementwiseDecoder},
    {"vectorized_elementwise_kernelI", ElementwiseDecoder},
    {"unrolled_elementwise_kernelI", ElementwiseDecoder},
    {"elementwise_kernel_with_indexI", RangeDecoder},
    {"13reduce_kernelI", ReduceDecoder},
    {"index_elementwise_kernelI", IndexDecoder},
    {"write_indicesI", IndexDecoder},
    {"vectorized_gather_kernelI", IndexDecoder},
    {"3cub6detail", CubDecoder},
    {"multi_tensor_apply_kernelI", ForeachDecoder},
    {"concat_fixed_kernelI", ConcatDecoder},
    {"concat_variable_kernelI", ConcatDecoder},
    {"amp_update_scale_cuda_kernel", ScaleDecoder},
};

// An empty decoder for a kernel of which nothing is known.
Decoder FindDecoder(const char* mangled_name) {
  for (const SemanticsRow& row : kRows) {
    if (std::string_view(mangled_name).find(row.text) ==
        std::string_view::npos) {
      continue;
    }
    const std::string name = Demangle(mangled_name);
    return row.decoder(TakeApart(name));
  }
  return {};
}

const KernelSemantics& SemanticsOf(const Kernel& kernel) {
  const KernelSemantics* known =
      kernel.semantics.load(std::memory_order_acquire);
  if (known != nullptr) [[likely]]
    return *known;
  const auto* made = new KernelSemantics(FindDecoder(kernel.name));
  // Two threads may make one at once; both are right, one stays.
  if (!kernel.semantics.compare_exchange_strong(known, made)) {
    delete made;
    return *known;
  }
  return *made;
}

// What a kernel gets pointers to non-constant elements for, it may write. Of
// the tensor behind one, only the first bytes can be a number kept for long.
void SetPointedEffect(const KernelSemantics& semantics, const Kernel& kernel,
                      void* const* arguments, KernelWork* work) {
  std::call_once(semantics.asked_for_outputs, [&] {
    semantics.outputs = OutputParameters(Demangle(kernel.name));
  });
  if (semantics.outputs.empty()) return;
  std::vector<void*> outputs;
  for (const size_t index : semantics.outputs) {
    outputs.push_back(ReadAt<void*>(arguments[index]));
  }
  work->effect = [outputs = std::move(outputs)] {
    for (const void* output : outputs) MarkStale(output, kSmallReadBytes);
  };
  work->writes_more = true;
}

}  // namespace

void SetSemanticEffect(const Kernel& kernel, const LaunchParameters& launch,
                       KernelWork* work) {
  const KernelSemantics& semantics = SemanticsOf(kernel);
  if (launch.arguments == nullptr) return;
  if (semantics.decoder) {
    work->effect = semantics.decoder({launch.arguments, launch.grid.count()});
  } else if (AnythingFreshForLong()) [[unlikely]] {
    SetPointedEffect(semantics, kernel, launch.arguments, work);
  }
}

}  // namespace dltap::simgpu
