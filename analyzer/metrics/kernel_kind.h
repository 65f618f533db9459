// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_KERNEL_KIND_H_
#define DLTAP_ANALYZER_METRICS_KERNEL_KIND_H_

#include <string>
#include <string_view>

namespace dltap::analyzer {

// What a kernel's name, mangled or not, says of what it does and not of how:
// the vectorised, unrolled and strided variants of one functor, and tiles of
// several sizes, are of one kind. For comparing only, not for showing.
std::string KernelKind(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_KERNEL_KIND_H_
