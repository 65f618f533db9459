// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/launch_arguments.h"

#include "shim/tap/tagging/attention_arguments.h"
#include "shim/tap/tagging/depthwise_arguments.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

constexpr uint64_t kDepthwise = uint64_t{1} << 32;  // else attention

uint64_t KindOfName(const char* name) {
  const uint32_t attention = AttentionOfName(name);
  if (attention != 0) return attention;
  const uint32_t depthwise = DepthwiseOfName(name);
  return depthwise != 0 ? depthwise | kDepthwise : 0;
}

}  // namespace

void LaunchArguments::Set(const void* function, uint64_t kind) {
  const auto key = reinterpret_cast<uint64_t>(function);
  if (kind == 0) {
    if (kinds_.Find(key) != 0) kinds_.Erase(key);
  } else if (!kinds_.Insert(key, kind)) {
    CountLoss(trace::LossKind::kRegistrationOverflow);
  }
}

void LaunchArguments::Named(const void* function, const char* name) {
  if (function != nullptr && name != nullptr) Set(function, KindOfName(name));
}

void LaunchArguments::Alias(const void* function, const void* source) {
  if (function != nullptr) {
    Set(function, kinds_.Find(reinterpret_cast<uint64_t>(source)));
  }
}

void LaunchArguments::Forget(const void* function) { Set(function, 0); }

bool LaunchArguments::Read(const void* function, const abi::dim3& grid,
                           const void* const* arguments,
                           opmodel::Operation* out) const {
  const uint64_t kind = kinds_.Find(reinterpret_cast<uint64_t>(function));
  if (kind == 0 || arguments == nullptr) return false;
  const auto of_reader = static_cast<uint32_t>(kind);
  return (kind & kDepthwise) != 0
             ? ReadDepthwise(of_reader, arguments, out)
             : ReadAttention(of_reader, grid, arguments, out);
}

constinit LaunchArguments g_launch_arguments;

}  // namespace dltap::shim::tagging
