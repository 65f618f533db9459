// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/host.h"

namespace dltap::shim::tagging {

constinit Host g_host;

}  // namespace dltap::shim::tagging
