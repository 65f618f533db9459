// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_NAMES_TEMPLATE_TEXT_H_
#define DLTAP_ANALYZER_ATTRIBUTION_NAMES_TEMPLATE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "opmodel/operation.h"

// Reading what a demangled name says in its template arguments. All views are
// parts of the text that was passed.
namespace dltap::analyzer {

// "void a::k<4, b::F<int>, long>(int)" -> "4", "b::F<int>", "long"; empty: no
// template.
std::vector<std::string_view> TemplateArguments(std::string_view demangled);

// "(float, c10::Half)..." -> "float", "c10::Half": what the parentheses or
// angle brackets that `text` begins with hold.
std::vector<std::string_view> ListAt(std::string_view text);

// "3ul", "(int)4" -> 3, 4.
std::optional<int64_t> TemplateNumber(std::string_view argument);

// "c10::Half", "float const*" -> the element type; kUnknown: none.
opmodel::DType ElementType(std::string_view text);

// The types of the tensors that `functor`, a template argument of an
// elementwise kernel of PyTorch, reads and writes, the result last, as far as
// it shows them; `tensors`: how many there are, 0: not known. Empty: it does
// not tell.
std::vector<opmodel::DType> TypesOfFunctor(std::string_view functor,
                                           size_t tensors);

// "std::array<char*, 3ul>", "at::detail::Array<char*, 3>" -> 3.
std::optional<int64_t> PointersIn(std::string_view argument);

// Of a lambda that gpu_kernel_impl made around a functor, the functor.
std::string_view InnerFunctor(std::string_view functor);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_NAMES_TEMPLATE_TEXT_H_
