// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {

[[gnu::section("dltap_at_load")]] constinit TaggingRuntime g_runtime{};
constinit std::atomic<uint32_t> g_unloads{0};

}  // namespace dltap::shim::tagging
