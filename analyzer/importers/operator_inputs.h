// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_OPERATOR_INPUTS_H_
#define DLTAP_ANALYZER_IMPORTERS_OPERATOR_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "opmodel/operation.h"

namespace dltap::analyzer {

using Shape = std::vector<int64_t>;

// The elements of a tensor; -1: of no shape that there is.
int64_t ElementsIn(const Shape& shape);

// "BFloat16": as the metadata of collectives spells an element type.
opmodel::DType DTypeOfScalarType(std::string_view name);

// The recorded inputs of one PyTorch operator, by position.
class OperatorInputs {
 public:
  // Raw JSON of "Input Dims", "Input type", "Concrete Inputs" and "Input
  // Strides"; the last two are empty in traces of old profilers.
  OperatorInputs(std::string_view dims, std::string_view types,
                 std::string_view concrete, std::string_view strides = "");

  size_t size() const { return dims_.size(); }
  bool has_scalars() const { return !concrete_.empty(); }
  // Empty for what is no tensor: scalars, lists, lists of tensors.
  const Shape& Dims(size_t i) const;
  // Of one tensor; kUnknown for what is none.
  opmodel::DType TypeOf(size_t i) const;
  // Of one tensor; the same that lies in memory: what is expanded counts once,
  // and what has no strides (a sparse tensor) is -1.
  int64_t ElementsOf(size_t i) const;
  int64_t StoredElementsOf(size_t i) const;
  // Of all tensors of a list; 0: none; -1: one has no such shape.
  int64_t ElementsOfList(size_t i) const;
  // The scalars that were passed; nullopt: not recorded, or of another type.
  std::optional<bool> Bool(size_t i) const;
  std::optional<int64_t> Int(size_t i) const;
  // "[2, 1]" -> {2, 1}; empty: not recorded.
  std::vector<int64_t> Ints(size_t i) const;
  std::vector<bool> Bools(size_t i) const;
  // The tensors' element type, the narrowest where they differ.
  opmodel::DType type() const;

 private:
  std::string_view Text(size_t i) const;

  std::vector<Shape> dims_;
  std::vector<int64_t> list_elements_;
  std::vector<Shape> strides_;
  std::vector<std::string_view> concrete_;  // without their quotes
  std::vector<opmodel::DType> types_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_OPERATOR_INPUTS_H_
