// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {

constinit TaggingRuntime g_runtime;

}  // namespace dltap::shim::tagging
