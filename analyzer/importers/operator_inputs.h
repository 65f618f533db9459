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

// "BFloat16": as the metadata of collectives spells an element type.
opmodel::DType DTypeOfScalarType(std::string_view name);

// The recorded inputs of one PyTorch operator, by position.
class OperatorInputs {
 public:
  // Raw JSON of "Input Dims", "Input type" and "Concrete Inputs"; the last is
  // empty in traces of old profilers.
  OperatorInputs(std::string_view dims, std::string_view types,
                 std::string_view concrete);

  // Empty for what is no tensor: scalars, lists, lists of tensors.
  const Shape& Dims(size_t i) const;
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
  std::vector<std::string_view> concrete_;  // without their quotes
  std::string_view types_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_OPERATOR_INPUTS_H_
