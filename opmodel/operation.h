// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_OPERATION_H_
#define DLTAP_OPMODEL_OPERATION_H_

#include <array>
#include <cstdint>

#include "vocabulary.h"

namespace dltap::opmodel {

using specs::Dim;
using specs::DType;
using specs::OpKind;
using specs::RnnCell;

// Bits (not bytes: F4) one element occupies in memory; 0 for kUnknown and for
// what is no type.
constexpr int BitsOf(DType type) {
  const auto i = static_cast<int>(type);
  return i < specs::Words<DType>::kCount ? specs::Words<DType>::kBits[i] : 0;
}

// One operation, as its library call described it.
struct Operation {
  OpKind kind = OpKind::kUnknown;
  RnnCell cell = RnnCell::kNone;
  DType storage = DType::kUnknown;  // of the inputs
  DType math = DType::kUnknown;     // of the multiplications
  // What each kind uses: vocabulary.toml, [dim].
  std::array<int64_t, static_cast<int>(Dim::kCount)> dims{};

  int64_t& operator[](Dim d) { return dims[static_cast<int>(d)]; }
  int64_t operator[](Dim d) const { return dims[static_cast<int>(d)]; }
};

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_OPERATION_H_
