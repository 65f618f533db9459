// SPDX-License-Identifier: Apache-2.0
// What the kernels of frameworks mean, as the core asks for it.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/bytes/written_memory.h"
#include "simgpu/launch/kernel_meaning.h"
#include "simgpu/stream/memory_effects.h"
#include "simgpu/torch/decoder.h"
#include "simgpu/torch/kernel_name.h"

namespace dltap::simgpu {
namespace {

class NamedKernel final : public KernelMeaning {
 public:
  explicit NamedKernel(const std::string& name)
      : decoder_(FindDecoder(TakeApart(name))),
        outputs_(OutputParameters(name)) {}

  LaunchMeaning Read(const LaunchView& launch) const override {
    LaunchMeaning meaning;
    if (decoder_) {
      DecodedLaunch decoded = decoder_(launch);
      const LaunchCost cost = CostOf(decoded, launch.gpu);
      meaning.bytes = cost.bytes;
      meaning.duration_ns = cost.duration_ns;
      meaning.effect = std::move(decoded.effect);
    }
    if (!meaning.effect && AnythingFreshForLong()) [[unlikely]]
      SpoilOutputs(launch, &meaning);
    return meaning;
  }

 private:
  // What a kernel gets pointers to non-constant elements for, it may write. Of
  // the tensor behind one, only the first bytes can be a number kept for long.
  void SpoilOutputs(const LaunchView& launch, LaunchMeaning* meaning) const {
    if (outputs_.empty()) return;
    std::vector<void*> outputs;
    for (const size_t index : outputs_) {
      outputs.push_back(ReadAt<void*>(launch.arguments[index]));
    }
    meaning->effect = [outputs = std::move(outputs)] {
      for (const void* output : outputs) MarkStale(output, kSmallReadBytes);
    };
    meaning->writes_more = true;
  }

  const Decoder decoder_;              // empty: nothing but for the next
  const std::vector<size_t> outputs_;  // parameters
};

std::unique_ptr<KernelMeaning> MeaningOfName(const char* mangled_name) {
  return std::make_unique<NamedKernel>(Demangle(mangled_name));
}

// When the library is loaded: before anything can be launched.
[[gnu::constructor]] void ProvideMeanings() {
  SetMeaningProvider(MeaningOfName);
}

}  // namespace
}  // namespace dltap::simgpu
