// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_KERNEL_NAME_H_
#define DLTAP_SIMGPU_TORCH_KERNEL_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dltap::simgpu {

// A kernel's name in C++; empty when it was not mangled.
std::string Demangle(const char* mangled_name);

// A lambda in a demangled name: "{lambda(float, int)#2}".
struct LambdaName {
  std::vector<std::string_view> parameters;
  size_t number = 0;
};

// A template instance, a function or a lambda in it, taken apart:
// "a::Functor<float, long>" -> a::; Functor; float, long.
// "a::copy(T&)::{lambda()#3}::operator()() const::{lambda(long)#1}"
//     -> copy; no arguments; lambda ()#3, lambda (long)#1.
// All views are into the text it was made of.
struct NameParts {
  std::string_view scope;  // "a::"
  std::string_view name;
  std::vector<std::string_view> arguments;
  // Types of a function's parameters: of "f<int>(float*, float const*, int)"
  // float*, float const*, int. Empty where the name does not tell them.
  std::vector<std::string_view> parameters;
  std::vector<LambdaName> lambdas;  // the outermost first
};

NameParts TakeApart(std::string_view text);

// "3ul": 3. 0: none.
size_t NumberIn(std::string_view text);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_KERNEL_NAME_H_
