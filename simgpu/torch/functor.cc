// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/functor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "simgpu/torch/kernel_name.h"

namespace dltap::simgpu {
namespace {

ScalarType ResultOf(FunctorRow::Result result, ScalarType same,
                    const NameParts& parts) {
  switch (result) {
    case FunctorRow::Result::kBool: return ScalarType::kBool;
    case FunctorRow::Result::kFloat16: return ScalarType::kFloat16;
    case FunctorRow::Result::kBfloat16: return ScalarType::kBfloat16;
    case FunctorRow::Result::kFloat32: return ScalarType::kFloat32;
    case FunctorRow::Result::kArgument:
      return parts.arguments.size() < 2 ? ScalarType::kUnknown
                                        : ScalarTypeNamed(parts.arguments[1]);
    case FunctorRow::Result::kSame: break;
  }
  return same;
}

ScalarType CaptureType(char letter, ScalarType type) {
  if (letter == 'i') return ScalarType::kInt32;
  if (letter == 'a' && !IsReal(type)) return ScalarType::kInt64;
  if (letter == 'a') return OpmathOf(type);
  return letter == 'o' ? OpmathOf(type) : type;
}

// Appends a member to the functor's object.
void AddCapture(Functor& functor, ScalarType type, int value_index) {
  const size_t size = SizeOf(type);
  size_t end = functor.captures.empty()
                   ? 0
                   : functor.captures.back().offset +
                         SizeOf(functor.captures.back().type);
  end = (end + size - 1) / size * size;
  functor.captures.push_back({type, end, value_index});
  functor.alignment = std::max(functor.alignment, size);
  functor.bytes = (end + size + functor.alignment - 1) / functor.alignment *
                  functor.alignment;
}

// nvcc puts a pointer behind what a __host__ __device__ lambda captures, unless
// the lambda could be a function pointer, as one that begins with [] could.
void AddHostClosure(Functor& functor) {
  constexpr size_t kPointer = sizeof(void*);
  functor.alignment = std::max(functor.alignment, kPointer);
  const size_t before = functor.captures.empty() ? 0 : functor.bytes;
  functor.bytes = (before + kPointer - 1) / kPointer * kPointer + kPointer;
}

// The types of a functor's inputs and what it is written in: a lambda's
// parameters, else the template's argument.
std::vector<ScalarType> InputTypes(const NameParts& parts, size_t count) {
  std::vector<ScalarType> types;
  if (!parts.lambdas.empty()) {
    for (const std::string_view name : parts.lambdas.back().parameters) {
      types.push_back(ScalarTypeNamed(name));
    }
  } else if (!parts.arguments.empty()) {
    types.assign(count, ScalarTypeNamed(parts.arguments[0]));
  }
  return types;
}

// What the functor is written in: T of where(bool, T, T) and fill(T, bool).
ScalarType OwnType(const NameParts& parts,
                   const std::vector<ScalarType>& inputs) {
  if (inputs.empty()) {
    return parts.arguments.empty() ? ScalarType::kUnknown
                                   : ScalarTypeNamed(parts.arguments[0]);
  }
  const auto other =
      std::find_if(inputs.begin(), inputs.end(),
                   [](ScalarType type) { return type != ScalarType::kBool; });
  return other == inputs.end() ? inputs.front() : *other;
}

// False: a type that is not computed with here.
bool Complete(Functor& functor, const FunctorRow& row) {
  for (const ScalarType type : functor.inputs) {
    if (!IsComputed(type)) return false;
    functor.real |= IsReal(type);
  }
  if (!IsComputed(functor.result)) return false;
  if (functor.inputs.empty()) functor.real = IsReal(functor.result);
  functor.identity = functor.inputs.size() == 1 && row.captures.empty() &&
                     functor.result == functor.inputs[0] &&
                     row.result == FunctorRow::Result::kSame &&
                     row.name == "direct_copy_kernel_cuda";
  functor.real_operation = row.real;
  functor.integer_operation = row.integer;
  // ~true is false: what a bool cannot hold is not what the lambda computes.
  if (row.name == "bitwise_not_kernel_cuda" &&
      functor.result == ScalarType::kBool) {
    functor.integer_operation =
        FindFunctorRow("logical_not_kernel_cuda")->integer;
  }
  return functor.IsComputed();
}

// Several lambdas of one function have rows of their own.
const FunctorRow* RowOf(const NameParts& parts) {
  if (!parts.lambdas.empty()) {
    const std::string name = std::string(parts.name) + "#" +
                             std::to_string(parts.lambdas.back().number);
    if (const FunctorRow* row = FindFunctorRow(name)) return row;
  }
  return FindFunctorRow(parts.name);
}

std::optional<Functor> Plain(const NameParts& parts) {
  const FunctorRow* row = RowOf(parts);
  if (row == nullptr) return std::nullopt;
  const auto inputs = static_cast<size_t>(row->inputs);
  Functor functor;
  functor.inputs = InputTypes(parts, inputs);
  if (functor.inputs.size() != inputs) return std::nullopt;
  const ScalarType type = OwnType(parts, functor.inputs);
  if (!IsComputed(type)) return std::nullopt;
  for (int i = 0; i < row->inputs; ++i) functor.input_indices.push_back(i);
  int index = row->inputs;
  for (const char letter : row->captures) {
    if (letter == '=') continue;
    AddCapture(functor, CaptureType(letter, type), index++);
  }
  if (!parts.lambdas.empty() && !row->captures.empty()) AddHostClosure(functor);
  functor.result = ResultOf(row->result, type, parts);
  if (!Complete(functor, *row)) return std::nullopt;
  return functor;
}

// BinaryFunctor<A, B, R, F>: F on two inputs. AUnaryFunctor and BUnaryFunctor
// hold F and then its first or second input, of the type F takes.
std::optional<Functor> Wrapper(const NameParts& parts) {
  if (parts.arguments.size() != 4) return std::nullopt;
  const NameParts inner = TakeApart(parts.arguments[3]);
  const FunctorRow* row = RowOf(inner);
  if (row == nullptr || row->inputs != 2) return std::nullopt;
  const std::vector<ScalarType> inner_types = InputTypes(inner, 2);
  if (inner_types.size() != 2 || inner_types[0] != inner_types[1] ||
      !IsComputed(inner_types[0])) {
    return std::nullopt;
  }
  const ScalarType inner_type = inner_types[0];
  Functor functor;
  int index = 2;
  for (const char letter : row->captures) {
    AddCapture(functor, CaptureType(letter, inner_type), index++);
  }
  const bool holds_first = parts.name == "AUnaryFunctor";
  const bool holds_second = parts.name == "BUnaryFunctor";
  for (int i = 0; i < 2; ++i) {
    const bool held = i == 0 ? holds_first : holds_second;
    if (held) continue;
    functor.inputs.push_back(
        ScalarTypeNamed(parts.arguments[static_cast<size_t>(i)]));
    functor.input_indices.push_back(i);
  }
  if (holds_first || holds_second) {
    // An F without members takes one byte.
    if (functor.captures.empty()) {
      functor.captures.push_back({ScalarType::kBool, 0, -1});
    }
    AddCapture(functor, inner_type, holds_first ? 0 : 1);
  }
  functor.result = ScalarTypeNamed(parts.arguments[2]);
  if (!Complete(functor, *row)) return std::nullopt;
  return functor;
}

bool IsWrapper(const NameParts& parts) {
  return parts.name == "BinaryFunctor" || parts.name == "AUnaryFunctor" ||
         parts.name == "BUnaryFunctor";
}

// The innermost template's type, where nothing else tells one.
ScalarType InnerType(const NameParts& parts) {
  ScalarType type = FirstTypeIn(parts.arguments);
  for (const std::string_view argument : parts.arguments) {
    if (type != ScalarType::kUnknown) break;
    type = InnerType(TakeApart(argument));
  }
  return type;
}

// A functor that is not in the table, or not for these types.
Functor TypesOf(const NameParts& parts, size_t inputs) {
  Functor functor;
  if (IsWrapper(parts) && parts.arguments.size() == 4) {
    functor.inputs = InputTypes(parts, parts.name == "BinaryFunctor" ? 2 : 1);
    functor.result = ScalarTypeNamed(parts.arguments[2]);
    return functor;
  }
  const FunctorRow* row = RowOf(parts);
  if (row != nullptr) inputs = static_cast<size_t>(row->inputs);
  functor.counts_inputs = row != nullptr || !parts.lambdas.empty();
  functor.inputs = InputTypes(parts, inputs);
  functor.result = OwnType(parts, functor.inputs);
  if (functor.result == ScalarType::kUnknown) {
    functor.result = InnerType(parts);
    const size_t count = functor.counts_inputs ? functor.inputs.size() : inputs;
    functor.inputs.assign(count, functor.result);
  }
  return functor;
}

}  // namespace

Functor FindFunctor(std::string_view name, size_t inputs) {
  const NameParts parts = TakeApart(name);
  auto functor = IsWrapper(parts) ? Wrapper(parts) : Plain(parts);
  return functor ? *std::move(functor) : TypesOf(parts, inputs);
}

}  // namespace dltap::simgpu
