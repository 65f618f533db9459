// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla/tape_scopes.h"

#include <algorithm>
#include <cstddef>

namespace dltap::analyzer {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "gradient_tape", "gradients", "gradients_1".
bool NamesGradients(std::string_view part) {
  if (part == "gradient_tape") return true;
  constexpr std::string_view kWhole = "gradients";
  if (!part.starts_with(kWhole)) return false;
  part.remove_prefix(kWhole.size());
  return part.empty() || (part.starts_with('_') && part.size() > 1 &&
                          std::ranges::all_of(part.substr(1), IsDigit));
}

// Where that part of `path` stands behind which its gradients do.
struct Tape {
  size_t begin;   // npos: it has none
  size_t inside;  // behind the part
};

Tape TapeIn(std::string_view path) {
  size_t begin = 0;
  for (;;) {
    const size_t end = path.find('/', begin);
    if (end == std::string_view::npos) return {end, end};
    if (NamesGradients(path.substr(begin, end - begin)))
      return {begin, end + 1};
    begin = end + 1;
  }
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Of names of the graph's, "_.\\-/" and ">" besides letters and digits.
bool IsOfAPath(char c) {
  return IsLetter(c) || IsDigit(c) ||
         std::string_view("_.\\-/>").find(c) != std::string_view::npos;
}

bool IsOfAType(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

bool IsType(std::string_view text) {
  return !text.empty() && !IsDigit(text.front()) &&
         std::ranges::all_of(text, IsOfAType);
}

// Of the operation that calls a function: its name, if it was given none.
bool IsCall(std::string_view part) {
  return part.starts_with("StatefulPartitionedCall") ||
         part.starts_with("PartitionedCall");
}

// "call/adam" of "call/adam/Sub_3"; empty: it stands in none.
std::string_view ScopeOf(std::string_view path) {
  size_t begin = 0;
  for (;;) {
    const size_t end = path.find('/', begin);
    if (end == std::string_view::npos) return {};
    if (!IsCall(path.substr(begin, end - begin))) return path.substr(0, end);
    begin = end + 1;
  }
}

// Adds to a variable or subtracts from it. A state that is only replaced, as
// that of random numbers, may be a layer's.
bool AddsToVariables(std::string_view type) {
  return type == "AssignSubVariableOp" || type == "AssignAddVariableOp" ||
         type.starts_with("ResourceScatterAdd") ||
         type.starts_with("ResourceScatterSub");
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool Multiplies(std::string_view type) {
  return Has(type, "MatMul") || Has(type, "Conv") || Has(type, "RNN") ||
         type == "Einsum";
}

bool AppliesGradients(std::string_view type) {
  return type.starts_with("ResourceApply") ||
         type.starts_with("ResourceSparseApply");
}

}  // namespace

std::optional<GraphOperation> ParseGraphOperation(std::string_view name) {
  name = name.substr(0, name.find('#'));
  const size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const GraphOperation operation = {name.substr(0, colon),
                                    name.substr(colon + 1)};
  const bool is_path = std::ranges::all_of(operation.path, IsOfAPath);
  if (!is_path || !IsType(operation.type)) return std::nullopt;
  return operation;
}

bool IsUpdate(const GraphOperation& operation) {
  return AppliesGradients(operation.type) ||
         operation.type == "AssignSubVariableOp";
}

// The gradient of a convolution's input may be a transposed convolution.
bool IsGradientByType(const GraphOperation& operation) {
  const std::string_view type = operation.type;
  const bool is_gradient = Has(type, "Grad") || (Has(type, "Backprop") &&
                                                 !Has(type, "BackpropInput"));
  return operation.path == type && is_gradient;
}

void TapeScopes::Add(std::string_view path) {
  const Tape tape = TapeIn(path);
  if (tape.begin == std::string_view::npos) return;
  std::string_view scope = path.substr(tape.inside);
  scope = scope.substr(0, scope.find('/'));
  constexpr std::string_view kGradient = "_grad";
  if (scope.ends_with(kGradient)) scope.remove_suffix(kGradient.size());
  differentiated_.insert(std::string(path.substr(0, tape.begin)).append(scope));
}

void TapeScopes::Add(const GraphOperation& operation) {
  Add(operation.path);
  const std::string_view scope = ScopeOf(operation.path);
  if (scope.empty()) return;
  const bool writes =
      AddsToVariables(operation.type) || AppliesGradients(operation.type);
  if (writes) writing_.emplace(scope);
  if (Multiplies(operation.type)) multiplying_.emplace(scope);
}

bool TapeScopes::IsGradient(std::string_view path) {
  return TapeIn(path).begin != std::string_view::npos;
}

bool TapeScopes::IsDifferentiated(std::string_view path) const {
  for (size_t end = path.size(); end != std::string_view::npos && end > 0;
       end = path.rfind('/', end - 1)) {
    if (differentiated_.contains(path.substr(0, end))) return true;
  }
  return false;
}

bool TapeScopes::IsUpdate(std::string_view path) const {
  const std::string_view scope = ScopeOf(path);
  return any() && writing_.contains(scope) && !multiplying_.contains(scope) &&
         !IsDifferentiated(path);
}

bool TapeScopes::IsOtherLayer(std::string_view path) const {
  const std::string_view scope = ScopeOf(path);
  return any() && multiplying_.contains(scope) && !writing_.contains(scope) &&
         !IsGradient(path) && !IsDifferentiated(path);
}

}  // namespace dltap::analyzer
