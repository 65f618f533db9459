// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_XLA_TOOLKIT_H_
#define DLTAP_ANALYZER_CONTROL_XLA_TOOLKIT_H_

#include <string>
#include <vector>

#include "analyzer/control/install_paths.h"
#include "analyzer/control/run_environment.h"

namespace dltap::analyzer {

// The CUDA toolkit that scripts/setup.sh fetched or was shown, where a command
// needs it: TensorFlow or JAX lies beside its Python interpreter, and neither a
// wheel, PATH nor the usual folders have the ptxas that XLA compiles with.
// Empty: not needed, or there is none. CUDA_HOME and XLA_FLAGS are not looked
// at (RunEnvironment() does).
std::string FetchedToolkitForXla(const std::vector<std::string>& command,
                                 const InstallPaths& paths,
                                 const Environment& environment);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_XLA_TOOLKIT_H_
