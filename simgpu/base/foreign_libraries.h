// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_FOREIGN_LIBRARIES_H_
#define DLTAP_SIMGPU_BASE_FOREIGN_LIBRARIES_H_

#include <string>
#include <vector>

namespace dltap::simgpu {

// Libraries of this process that have the name of a simulated one but are not
// it: the program opened them by path, which no preloading can replace. Calls
// that reach them are not simulated.
std::vector<std::string> ForeignLibraries();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_FOREIGN_LIBRARIES_H_
