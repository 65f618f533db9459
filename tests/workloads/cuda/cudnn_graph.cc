// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/cuda/cudnn_graph.h"

#include <cstdio>
#include <cstdlib>

#include "tests/workloads/cuda/check.h"

namespace workloads {

GraphPart::GraphPart(cudnnBackendDescriptorType_t type) {
  CHECK(cudnnBackendCreateDescriptor(type, &desc_));
}

GraphPart::~GraphPart() {
  if (desc_ != nullptr) cudnnBackendDestroyDescriptor(desc_);
}

GraphPart& GraphPart::Set(cudnnBackendAttributeName_t name,
                          cudnnBackendAttributeType_t type, int64_t count,
                          const void* values) {
  CHECK(cudnnBackendSetAttribute(desc_, name, type, count, values));
  return *this;
}

GraphPart& GraphPart::Set(cudnnBackendAttributeName_t name,
                          const GraphPart& value) {
  return Set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.desc_);
}

GraphPart& GraphPart::Set(cudnnBackendAttributeName_t name,
                          cudnnHandle_t value) {
  return Set(name, CUDNN_TYPE_HANDLE, 1, &value);
}

cudnnStatus_t GraphPart::Finalize() { return cudnnBackendFinalize(desc_); }

GraphPart GraphTensor(int64_t id, cudnnDataType_t type,
                      const std::vector<int64_t>& dims, bool by_value) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * dims[i];
  }
  const int64_t alignment = 16;
  const auto rank = static_cast<int64_t>(dims.size());
  GraphPart tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.Set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id)
      .Set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type)
      .Set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment)
      .Set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, rank, dims.data())
      .Set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, rank, strides.data());
  if (by_value) {
    tensor.Set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
  }
  CHECK(tensor.Finalize());
  return tensor;
}

GraphPlan::GraphPlan(cudnnHandle_t cudnn, const GraphPart& operation,
                     const char* what)
    : cudnn_(cudnn) {
  GraphPart graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graph.Set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, cudnn)
      .Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  CHECK(graph.Finalize());
  const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  GraphPart heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.Set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
      .Set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  CHECK(heuristics.Finalize());
  constexpr int64_t kMost = 8;
  std::vector<GraphPart> configs;
  std::vector<cudnnBackendDescriptor_t> results;
  for (int64_t i = 0; i < kMost; ++i) {
    configs.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    results.push_back(configs.back().get());
  }
  int64_t count = 0;
  CHECK(cudnnBackendGetAttribute(
      heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
      CUDNN_TYPE_BACKEND_DESCRIPTOR, kMost, &count, results.data()));
  for (int64_t i = 0; i < count && i < kMost; ++i) {
    if (TryPlan(configs[i])) return;
  }
  std::fprintf(stderr, "cuDNN %zu has no plan for %s on this GPU\n",
               cudnnGetVersion(), what);
  std::exit(1);
}

bool GraphPlan::TryPlan(const GraphPart& config) {
  auto plan =
      std::make_unique<GraphPart>(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan->Set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, cudnn_)
      .Set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  if (plan->Finalize() != CUDNN_STATUS_SUCCESS) return false;
  int64_t bytes = 0, count = 0;
  CHECK(cudnnBackendGetAttribute(plan->get(),
                                 CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                 CUDNN_TYPE_INT64, 1, &count, &bytes));
  workspace_ = DeviceArray<char>(bytes);
  plan_ = std::move(plan);
  return true;
}

void GraphPlan::Execute(const std::vector<int64_t>& ids,
                        const std::vector<void*>& pointers) {
  void* workspace = workspace_.data();
  const auto count = static_cast<int64_t>(ids.size());
  GraphPart pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.Set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count,
           ids.data())
      .Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
           pointers.data())
      .Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
           &workspace);
  CHECK(pack.Finalize());
  CHECK(cudnnBackendExecute(cudnn_, plan_->get(), pack.get()));
}

}  // namespace workloads
