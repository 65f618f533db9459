// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_MANGLED_NAME_H_
#define DLTAP_SIMGPU_TORCH_MANGLED_NAME_H_

#include <string_view>

namespace dltap::simgpu {

// What mangled names of PyTorch's kernels tell (Itanium C++ ABI, 5.1).

// Bytes of the type that the text begins with; 0: none that we know.
double SizeOfType(std::string_view text);

// Of the first template argument that is a type: "kernelILi4EfEE" is 4.
double FirstTypeBytes(std::string_view arguments);

// Of the elements that a functor works on. A lambda's parameters (Ul...) name
// its types, the last lambda being the one that runs; a functor's template
// arguments (I...) do otherwise. 4 where neither does.
double ElementBytes(std::string_view functor);

// "2EE...": 2. Ends at what is no digit.
int LeadingNumber(std::string_view text);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_MANGLED_NAME_H_
