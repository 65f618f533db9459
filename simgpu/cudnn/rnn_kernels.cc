// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "opmodel/rnn_chain.h"
#include "opmodel/rnn_shape.h"
#include "simgpu/cublas/gemm_kernels.h"
#include "simgpu/cudnn/op_kernels.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::GpuSpec;
using opmodel::Operation;
using opmodel::OpKind;
using opmodel::RnnCell;
using opmodel::RnnKernelRole;
using opmodel::RnnShape;

const char* CellName(RnnCell cell, bool backward) {
  switch (cell) {
    case RnnCell::kLstm:
      return backward
                 ? "void LSTM_elementWise_bp1<float, float, float>(int, int, "
                   "int, int, float*, float*, float*, float*, float*, float*, "
                   "float*, float*, float*, int, int)"
                 : "void LSTM_elementWise_fp<float, float, float, "
                   "(cudnnRNNBiasMode_t)2>(int, int, int, int, float const*, "
                   "float const*, float const*, float const*, float const*, "
                   "float*, float*, float*, float*, bool, int, "
                   "cudnnRNNClipMode_t, cudnnNanPropagation_t, float, float)";
    case RnnCell::kGru:
      return backward
                 ? "void GRU_elementWise_bp1<float, float, float>(int, int, "
                   "int, int, float*, float*, float*, float*, float*)"
                 : "void GRU_elementWise_fp<float, float, float, "
                   "(cudnnRNNBiasMode_t)2>(int, int, int, int, float const*, "
                   "float const*, float*, float*, bool)";
    default:
      return backward
                 ? "void elemWiseRNNcell_bprop<float, float, float, "
                   "(cudnnRNNMode_t)1>(int, int, int, int, float*, float*)"
                 : "void elemWiseRNNcell<float, float, float, "
                   "(cudnnRNNMode_t)1, (cudnnRNNBiasMode_t)2>(int, int, int, "
                   "int, int, bool, float*, float*, float*, float*, float*)";
  }
}

// The product a kernel of the chain computes, for its name and grid only: its
// time comes from the chain.
Operation ProductOf(const Engine& engine, const RnnShape& shape,
                    RnnKernelRole role) {
  Operation product{.kind = OpKind::kGemm,
                    .storage = engine.op.storage,
                    .math = engine.op.math};
  const int64_t gates = shape.gates * shape.hidden;
  const int64_t tokens = shape.seq * shape.batch;
  product[Dim::kBatch] = 1;
  product[Dim::kM] = gates;
  product[Dim::kN] = shape.batch;
  product[Dim::kK] = shape.recurrent;
  switch (role) {
    case RnnKernelRole::kInputGemm:
      product[Dim::kN] = tokens;
      product[Dim::kK] = shape.input > 0 ? shape.input : shape.hidden;
      break;
    case RnnKernelRole::kProjectionGemm:
      product[Dim::kM] = shape.recurrent;
      product[Dim::kK] = shape.hidden;
      break;
    case RnnKernelRole::kWeightGemm:
      product[Dim::kN] = shape.recurrent;
      product[Dim::kK] = tokens;
      product[Dim::kTransB] = 1;
      break;
    default: break;
  }
  product[Dim::kTransA] = engine.op.kind == OpKind::kRnnForward ? 1 : 0;
  return product;
}

LibraryKernel KernelOf(const Engine& engine, const RnnShape& shape,
                       const opmodel::RnnKernel& kernel, const GpuSpec& gpu) {
  if (kernel.role == RnnKernelRole::kCell) {
    return KernelFor(
        CellName(engine.op.cell, engine.op.kind != OpKind::kRnnForward),
        static_cast<double>(shape.batch * shape.hidden), kernel.time.ns);
  }
  LibraryKernel product =
      GemmLaunchOf(ProductOf(engine, shape, kernel.role), gpu).product;
  product.duration_ns = std::max<int64_t>(1, std::llround(kernel.time.ns));
  return product;
}

}  // namespace

KernelList RnnKernels(const Engine& engine, const GpuSpec& gpu) {
  const auto shape = opmodel::RnnShapeOf(engine.op);
  const auto chain = opmodel::RnnChainOf(engine.op, gpu);
  if (!shape || !chain) {
    return {KernelFor(CellName(engine.op.cell, false), 1, engine.ns)};
  }
  KernelList kernels;
  for (const opmodel::RnnStage& stage : *chain) {
    KernelList once;
    for (const opmodel::RnnKernel& kernel : stage.kernels) {
      once.push_back(KernelOf(engine, *shape, kernel, gpu));
    }
    for (int64_t i = 0; i < stage.repeats; ++i) {
      kernels.insert(kernels.end(), once.begin(), once.end());
    }
  }
  return kernels;
}

}  // namespace dltap::simgpu
