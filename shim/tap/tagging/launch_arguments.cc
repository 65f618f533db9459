// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/launch_arguments.h"

#include <bit>

#include "shim/tap/tagging/attention_arguments.h"
#include "shim/tap/tagging/depthwise_arguments.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

NamedLayout LayoutOfName(const char* name) {
  const NamedLayout attention = AttentionOfName(name);
  return attention.reader != ArgumentReader::kNone ? attention
                                                   : DepthwiseOfName(name);
}

}  // namespace

void LaunchArguments::Set(const void* function, uint64_t layout) {
  const auto key = reinterpret_cast<uint64_t>(function);
  if (layout == 0) {
    if (layouts_.Find(key) != 0) layouts_.Erase(key);
  } else if (!layouts_.Insert(key, layout)) {
    CountLoss(trace::LossKind::kRegistrationOverflow);
  }
}

void LaunchArguments::Named(const void* function, const char* name) {
  if (function == nullptr || name == nullptr) return;
  Set(function, std::bit_cast<uint64_t>(LayoutOfName(name)));
}

void LaunchArguments::Alias(const void* function, const void* source) {
  if (function != nullptr) {
    Set(function, layouts_.Find(reinterpret_cast<uint64_t>(source)));
  }
}

void LaunchArguments::Forget(const void* function) { Set(function, 0); }

bool LaunchArguments::Read(const void* function, const abi::dim3& grid,
                           const void* const* arguments,
                           opmodel::Operation* out) const {
  const auto named = std::bit_cast<NamedLayout>(
      layouts_.Find(reinterpret_cast<uint64_t>(function)));
  if (arguments == nullptr) return false;
  switch (named.reader) {
    case ArgumentReader::kAttention:
      return ReadAttention(named, grid, arguments, out);
    case ArgumentReader::kDepthwise:
      return ReadDepthwise(named, arguments, out);
    case ArgumentReader::kNone: return false;
  }
  return false;
}

constinit LaunchArguments g_launch_arguments;

}  // namespace dltap::shim::tagging
