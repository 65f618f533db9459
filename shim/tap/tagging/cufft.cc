// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cufft.h"

#include <cufft.h>

#include "opmodel/operation.h"
#include "shim/tap/tagging/handle_streams.h"
#include "shim/tap/tagging/operation_table.h"
#include "shim/tap/tagging/pointer_map.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim {
namespace tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

// Plan -> operation. PyTorch keeps up to 4096 plans a device.
constinit PointerMap<4, 10> g_fft_plans;

// Plans count from 0 or 1, which are no keys.
uint64_t KeyOf(int32_t plan) {
  return uint64_t{static_cast<uint32_t>(plan)} + 2;
}

// Handles are told apart by value: no address is that small.
void* HandleOf(int32_t plan) {
  return reinterpret_cast<void*>(uintptr_t{static_cast<uint32_t>(plan)});
}

bool IsComplex(DType type) {
  return type == DType::kC64 || type == DType::kC128;
}

DType RealPartOf(DType type) {
  return type == DType::kC64 ? DType::kF32 : DType::kF64;
}

// All points of all transforms, and those of the side that is complex while
// the other is real: half the last axis, and one more.
struct Points {
  int64_t all;
  int64_t half;
};

Points PointsOf(const Transforms& transforms) {
  int64_t all = transforms.batch;
  for (int i = 0; i < transforms.rank; ++i) all *= transforms.sizes[i];
  const int64_t last = transforms.sizes[transforms.rank - 1];
  return {all, last > 0 ? all / last * (last / 2 + 1) : 0};
}

Operation OperationOf(const Transforms& transforms) {
  Operation op;
  op.kind = OpKind::kFft;
  const DType input = specs::DTypeOfCuda(transforms.input);
  const DType output = specs::DTypeOfCuda(transforms.output);
  const bool from_complex = IsComplex(input);
  const bool to_complex = IsComplex(output);
  if (transforms.rank == 0 || !(from_complex || to_complex)) return op;
  const Points points = PointsOf(transforms);
  op[Dim::kRows] = transforms.batch;
  if (from_complex && to_complex) {
    op.storage = input;
    op[Dim::kElementsIn] = op[Dim::kElementsOut] = points.all;
  } else {
    op.storage = RealPartOf(from_complex ? input : output);
    op[Dim::kElementsIn] = from_complex ? 2 * points.half : points.all;
    op[Dim::kElementsOut] = to_complex ? 2 * points.half : points.all;
  }
  op.math = op.storage;
  return op;
}

// Each copy of the library counts its plans from 1: whose a plan is, is not
// known then.
bool IsOneOfSeveral() {
  return g_runtime.has_copies != nullptr &&
         g_runtime.has_copies("cufftExecC2C");
}

}  // namespace

Transforms TransformsOf(int32_t type, int64_t batch) {
  Transforms transforms;
  transforms.batch = batch;
  switch (type) {
    case CUFFT_C2C: transforms.input = transforms.output = CUDA_C_32F; break;
    case CUFFT_Z2Z: transforms.input = transforms.output = CUDA_C_64F; break;
    case CUFFT_R2C:
      transforms.input = CUDA_R_32F;
      transforms.output = CUDA_C_32F;
      break;
    case CUFFT_C2R:
      transforms.input = CUDA_C_32F;
      transforms.output = CUDA_R_32F;
      break;
    case CUFFT_D2Z:
      transforms.input = CUDA_R_64F;
      transforms.output = CUDA_C_64F;
      break;
    case CUFFT_Z2D:
      transforms.input = CUDA_C_64F;
      transforms.output = CUDA_R_64F;
      break;
    default: break;
  }
  return transforms;
}

void FftPlanMade(int32_t plan, const Transforms& transforms) {
  if (IsOneOfSeveral()) {
    g_fft_plans.Erase(KeyOf(plan));
    return;
  }
  OperationEncoder nodes;
  nodes.Add(OperationOf(transforms));
  const uint32_t operation = g_operations.Intern(nodes);
  if (operation == 0 || !g_fft_plans.Insert(KeyOf(plan), operation)) {
    g_fft_plans.Erase(KeyOf(plan));
  }
}

}  // namespace tagging

namespace hooks {

void CufftPlanStream::After(int32_t status, int32_t plan, void* stream) {
  if (status == 0) {
    tagging::g_handle_streams.Set(tagging::HandleOf(plan), stream);
  }
}

void CufftPlanGone::Before(int32_t plan) {
  tagging::g_handle_streams.Forget(tagging::HandleOf(plan));
  tagging::g_fft_plans.Erase(tagging::KeyOf(plan));
}

void CufftExecute::Pack(uint8_t* at, int32_t plan) {
  const auto known =
      static_cast<uint32_t>(tagging::g_fft_plans.Find(tagging::KeyOf(plan)));
  if (known == 0) tagging::CountLoss(trace::LossKind::kOperationUnknown);
  const uint32_t operation = tagging::g_operations.Defined(known);
  memcpy(at, &operation, sizeof(operation));
}

}  // namespace hooks
}  // namespace dltap::shim
