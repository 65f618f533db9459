// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/memory_box.h"

#include "simgpu/cudart/conversions.h"

namespace dltap::simgpu {
namespace {

// "Must specify one of srcArray or srcPtr and one of dstArray or dstPtr."
Error ReadEnd(cudaArray_const_t array, const cudaPitchedPtr& pointer,
              const cudaPos& at, CopyEnd* end) {
  if ((array != nullptr) == (pointer.ptr != nullptr)) {
    return Error::kInvalidValue;
  }
  *end = {.pointer = pointer.ptr,
          .pitch = pointer.pitch,
          .rows = pointer.ysize,
          .array = FindArray(array),
          .at = {at.x, at.y, at.z}};
  if (array == nullptr) return Error::kSuccess;
  if (end->array == nullptr) return Error::kInvalidValue;
  end->at.x *= end->array->element_bytes;
  return Error::kSuccess;
}

// "If a CUDA array is participating in the copy, the extent is defined in terms
// of that array's elements." 0: the arrays' elements differ.
size_t UnitOf(const CopyEnd& destination, const CopyEnd& source) {
  const size_t to =
      destination.array == nullptr ? 0 : destination.array->element_bytes;
  const size_t from = source.array == nullptr ? 0 : source.array->element_bytes;
  if (to == 0 && from == 0) return 1;
  return to == 0 || from == 0 || to == from ? std::max(to, from) : 0;
}

// Of an end in a node's parameters.
void ShowEnd(const Array* array, const std::byte* address, cudaArray_t* shown,
             cudaPos* at) {
  const BoxPosition position = PositionIn(*array, address);
  *shown = ToHandle<cudaArray_t>(const_cast<Array*>(array));
  *at = {position.x / array->element_bytes, position.y, position.z};
}

}  // namespace

Error ReadBox(const cudaMemcpy3DParms& p, Box* box) {
  if (!IsCopyKind(p.kind)) return Error::kInvalidMemcpyDirection;
  Error error = ReadEnd(p.srcArray, p.srcPtr, p.srcPos, &box->source);
  if (error != Error::kSuccess) return error;
  error = ReadEnd(p.dstArray, p.dstPtr, p.dstPos, &box->destination);
  if (error != Error::kSuccess) return error;
  const size_t unit = UnitOf(box->destination, box->source);
  if (unit == 0) return Error::kInvalidValue;
  box->extent = {.width_bytes = p.extent.width * unit,
                 .height = p.extent.height,
                 .depth = p.extent.depth};
  box->kind = p.kind;
  return Error::kSuccess;
}

Error MakeCopy3D(const cudaMemcpy3DParms& params, CopyWork* copy) {
  Box box{};
  const Error error = ReadBox(params, &box);
  return error == Error::kSuccess
             ? MakeBoxCopy(box.destination, box.source, box.extent,
                           ToDirection(box.kind), copy)
             : error;
}

cudaMemcpy3DParms CopyParamsOf(const CopyWork& copy) {
  cudaMemcpy3DParms params{};
  size_t unit = 1;
  if (copy.source_array != nullptr) {
    ShowEnd(copy.source_array, copy.source, &params.srcArray, &params.srcPos);
    unit = copy.source_array->element_bytes;
  } else {
    params.srcPtr = {const_cast<std::byte*>(copy.source), copy.source_pitch,
                     copy.width, copy.height};
  }
  if (copy.destination_array != nullptr) {
    ShowEnd(copy.destination_array, copy.destination, &params.dstArray,
            &params.dstPos);
    unit = copy.destination_array->element_bytes;
  } else {
    params.dstPtr = {copy.destination, copy.destination_pitch, copy.width,
                     copy.height};
  }
  params.extent = {copy.width / unit, copy.height, copy.depth};
  params.kind = cudaMemcpyDefault;
  return params;
}

}  // namespace dltap::simgpu
