// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_KERNEL_KIND_H_
#define DLTAP_ANALYZER_METRICS_BASE_KERNEL_KIND_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/text_pool.h"

namespace dltap::analyzer {

// What a kernel's name, mangled or not, says of what it does and not of how:
// the vectorised, unrolled and strided variants of one functor, and tiles of
// several sizes, are of one kind. For comparing only, not for showing.
std::string KernelKind(std::string_view name);

// Numbers the kinds of a trace's kernels from 1, each name looked at once.
class KernelKinds {
 public:
  // `texts` must outlive it.
  explicit KernelKinds(const TextPool& texts) : texts_(texts) {}

  size_t Of(TextId name);  // 0: none

 private:
  const TextPool& texts_;
  absl::flat_hash_map<size_t, size_t> kind_of_name_;
  absl::flat_hash_map<std::string, size_t> kinds_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_KERNEL_KIND_H_
