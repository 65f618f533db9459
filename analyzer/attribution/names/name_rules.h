// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_NAMES_NAME_RULES_H_
#define DLTAP_ANALYZER_ATTRIBUTION_NAMES_NAME_RULES_H_

#include <span>
#include <string>
#include <string_view>

#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

// One row of kernel_rules.toml or operator_rules.toml.
struct NameRule {
  std::string_view globs;  // joined by '|'
  LayerClass layer_class;
  Direction direction;        // kNone: the name does not tell
  bool outranks;              // an operator: those inside it (`container`);
                              // a kernel: its operator (`certain`)
  std::string_view examples;  // joined by '|'
};

std::span<const NameRule> KernelNameRules();
std::span<const NameRule> OperatorNameRules();

// What of a demangled kernel name tells its class: without return type,
// parameter lists, anonymous namespaces and template arguments that are numbers
// or element types; of a fusion of Inductor without its running number.
// "void a::(anonymous namespace)::k<4, a::F<float>, long>(b::Gemm*)" ->
// "a::k<a::F<>>"
std::string KernelPath(std::string_view demangled);

// Whether a demangled name is that of a copy which changes the element type.
// Such casts have class layout, and a name of their own among operations.
bool IsCast(std::string_view demangled);

// The first rule that matches the path of a demangled kernel name; nullptr:
// none does.
const NameRule* MatchKernelName(std::string_view demangled);

// The first rule that matches a framework operator's or a range's name.
const NameRule* MatchOperatorName(std::string_view name);

// Whether `text` as a whole matches; '*' is any run of characters.
bool GlobMatches(std::string_view glob, std::string_view text);

// "_Z3foov" -> "foo()"; what is not a mangled name comes back unchanged.
std::string Demangle(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_NAMES_NAME_RULES_H_
