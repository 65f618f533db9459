// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_ELF_LINKAGE_H_
#define DLTAP_ANALYZER_CONTROL_ELF_LINKAGE_H_

#include <optional>
#include <string>
#include <vector>

namespace dltap::analyzer {

// What an ELF file says of how it is loaded.
struct ElfLinkage {
  bool is_x86_64 = false;
  bool is_dynamic = false;  // has an interpreter or a dynamic section
  std::string loader;       // the interpreter; empty: none
  std::vector<std::string> needed;
  std::string run_path;  // DT_RPATH or DT_RUNPATH
  bool is_rpath = false;
  // The CUDA runtime is linked in.
  bool has_static_cudart = false;
};

// nullopt: not an ELF file, or damaged. Nothing of it is run. Reads at most
// 1 GiB of it.
std::optional<ElfLinkage> ReadElf(const std::string& path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_ELF_LINKAGE_H_
