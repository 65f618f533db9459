// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_BOX_BATCH_H_
#define DLTAP_SIMGPU_MEMORY_BOX_BATCH_H_

#include <algorithm>
#include <optional>
#include <vector>

#include "simgpu/memory/array_copy.h"
#include "simgpu/memory/copy_batch.h"

namespace dltap::simgpu {

// cudaMemcpy3DBatchOp and CUDA_MEMCPY3D_BATCH_OP name their fields alike: these
// functions serve both.

constexpr int kPointerOperand = 1;
constexpr int kArrayOperand = 2;

// Bytes of an operand's element; 0: a pointer has none of its own. nullopt: no
// operand.
template <typename Operand>
std::optional<size_t> UnitOf(const Operand& operand) {
  const auto type = static_cast<int>(operand.type);
  if (type == kPointerOperand) return 0;
  if (type != kArrayOperand) return std::nullopt;
  const Array* array = FindArray(operand.op.array.array);
  if (array == nullptr) return std::nullopt;
  return array->element_bytes;
}

// "rowLength must either be zero or be greater than or equal to the width",
// layerHeight likewise to the height.
template <typename Operand, typename Extent>
bool ReadOperand(const Operand& operand, const Extent& extent, size_t unit,
                 CopyEnd* end) {
  if (static_cast<int>(operand.type) == kArrayOperand) {
    const auto& given = operand.op.array;
    *end = {.array = FindArray(given.array),
            .at = {given.offset.x * unit, given.offset.y, given.offset.z}};
    return true;
  }
  const auto& given = operand.op.ptr;
  const size_t length = given.rowLength == 0 ? extent.width : given.rowLength;
  const size_t height =
      given.layerHeight == 0 ? extent.height : given.layerHeight;
  *end = {.pointer = (const void*)given.ptr,
          .pitch = length * unit,
          .rows = height};
  return length >= extent.width && height >= extent.height;
}

template <typename Op>
Error MakeBatchedBox(const Op& op, CopyWork* copy) {
  const auto to_unit = UnitOf(op.dst);
  const auto from_unit = UnitOf(op.src);
  const auto& extent = op.extent;
  if (!to_unit || !from_unit ||
      (*to_unit != 0 && *from_unit != 0 && *to_unit != *from_unit) ||
      extent.width == 0 || extent.height == 0 || extent.depth == 0 ||
      !IsAccessOrder(static_cast<int>(op.srcAccessOrder))) {
    return Error::kInvalidValue;
  }
  const size_t unit = std::max({*to_unit, *from_unit, size_t{1}});
  CopyEnd to;
  CopyEnd from;
  if (!ReadOperand(op.dst, extent, unit, &to) ||
      !ReadOperand(op.src, extent, unit, &from)) {
    return Error::kInvalidValue;
  }
  return MakeBoxCopy(to, from,
                     {.width_bytes = extent.width * unit,
                      .height = extent.height,
                      .depth = extent.depth},
                     std::nullopt, copy);
}

// `failed`, where it is asked for, tells which copy was refused.
template <typename Op>
Error RunBoxBatch(Stream& stream, const Op* ops, size_t count, uint64_t flags,
                  size_t* failed) {
  if (ops == nullptr || flags != 0) return Error::kInvalidValue;
  Error error = CheckBatch(stream, count, {});
  std::vector<CopyWork> copies(error == Error::kSuccess ? count : 0);
  for (size_t i = 0; i < copies.size() && error == Error::kSuccess; ++i) {
    error = MakeBatchedBox(ops[i], &copies[i]);
    if (error != Error::kSuccess && failed != nullptr) *failed = i;
  }
  return error == Error::kSuccess ? RunBatch(stream, copies) : error;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_BOX_BATCH_H_
