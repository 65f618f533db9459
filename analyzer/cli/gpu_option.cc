// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/gpu_option.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/control/run_environment.h"
#include "analyzer/output/near_names.h"

namespace dltap::analyzer {

std::vector<std::string> GpuNames() {
  std::vector<std::string> names;
  for (const opmodel::GpuSpec& gpu : opmodel::AllGpus()) {
    names.emplace_back(gpu.name);
  }
  return names;
}

std::vector<std::string> GpuOptionValues() {
  std::vector<std::string> values = {"real"};
  for (const std::string& name : SimulatedGpus()) {
    values.push_back("sim:" + name);
  }
  return values;
}

const opmodel::GpuSpec* GpuNamed(const std::string& name) {
  const opmodel::GpuSpec* gpu = opmodel::FindGpu(name);
  return gpu != nullptr ? gpu : opmodel::FindGpuByProduct(name);
}

std::string KnownGpus() { return absl::StrJoin(GpuNames(), ", "); }

std::string UnknownGpu(const std::string& name) {
  return absl::StrCat("predict: unknown GPU \"", name, "\"",
                      WhatThereIs(name, GpuNames()));
}

}  // namespace dltap::analyzer
