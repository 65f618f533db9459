// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_GPU_OPTION_H_
#define DLTAP_ANALYZER_CLI_GPU_OPTION_H_

#include <string>
#include <vector>

#include "opmodel/gpu_table.h"

namespace dltap::analyzer {

// By the table's name ("l4") or by a driver's ("NVIDIA L4"); nullptr: neither.
const opmodel::GpuSpec* GpuNamed(const std::string& name);

std::vector<std::string> GpuNames();

// Of --gpu of `run` and `doctor`: real, sim:a10, ...
std::vector<std::string> GpuOptionValues();

// "a100-40-pcie, a100-40-sxm, ..."
std::string KnownGpus();

// The error for a name that is no GPU's, with the near ones.
std::string UnknownGpu(const std::string& name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_GPU_OPTION_H_
