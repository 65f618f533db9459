// SPDX-License-Identifier: Apache-2.0
// What the kernels of frameworks mean, as the core asks for it.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/launch/kernel_meaning.h"
#include "simgpu/torch/decoder.h"
#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/write_targets.h"

namespace dltap::simgpu {
namespace {

class NamedKernel final : public KernelMeaning {
 public:
  // `name` is empty where the mangled one is none.
  NamedKernel(const std::string& name, const char* mangled_name)
      : decoder_(FindDecoder(TakeApart(name))),
        targets_(name.empty() ? mangled_name : std::string_view(name)) {}

  LaunchMeaning Read(const LaunchView& launch) const override {
    LaunchMeaning meaning;
    if (!decoder_) {
      meaning.may_write = targets_.Of(launch, false);
      return meaning;
    }
    DecodedLaunch decoded = decoder_(launch);
    const LaunchCost cost = CostOf(decoded, launch.gpu);
    meaning.bytes = cost.bytes;
    meaning.duration_ns = cost.duration_ns;
    meaning.effect = std::move(decoded.effect);
    if (!meaning.effect) meaning.may_write = MayWrite(decoded, launch);
    return meaning;
  }

 private:
  // A launch that is not computed.
  std::optional<std::vector<WriteTarget>> MayWrite(
      const DecodedLaunch& decoded, const LaunchView& launch) const {
    auto targets = targets_.Of(launch, decoded.may_write.has_value());
    if (!targets) return targets;
    if (decoded.may_write) {
      targets->insert(targets->end(), decoded.may_write->begin(),
                      decoded.may_write->end());
    }
    for (const Operand& operand : decoded.operands()) {
      if (operand.access != Operand::kRead && operand.range.bytes > 0) {
        targets->push_back({operand.range.data, operand.range.bytes});
      }
    }
    return targets;
  }

  const Decoder decoder_;  // empty: nothing is known but where it may write
  const WriteTargets targets_;
};

std::unique_ptr<KernelMeaning> MeaningOfName(const char* mangled_name) {
  return std::make_unique<NamedKernel>(Demangle(mangled_name), mangled_name);
}

// When the library is loaded: before anything can be launched.
[[gnu::constructor]] void ProvideMeanings() {
  SetMeaningProvider(MeaningOfName);
}

}  // namespace
}  // namespace dltap::simgpu
