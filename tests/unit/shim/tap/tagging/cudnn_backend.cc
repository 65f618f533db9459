// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/shim/tap/tagging/cudnn_backend.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "shim/tap/tagging/object_hooks.h"

namespace dltap::shim::tagging {
namespace {

cudnnStatus_t AgreeableCreate(cudnnBackendDescriptorType_t,
                              cudnnBackendDescriptor_t* descriptor) {
  *descriptor = malloc(64);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t AgreeableSet(cudnnBackendDescriptor_t,
                           cudnnBackendAttributeName_t,
                           cudnnBackendAttributeType_t, int64_t, const void*) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t AgreeableGet(cudnnBackendDescriptor_t,
                           cudnnBackendAttributeName_t,
                           cudnnBackendAttributeType_t, int64_t requested,
                           int64_t* count, void*) {
  *count = requested;  // descriptors are filled in place
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t AgreeableFinalize(cudnnBackendDescriptor_t) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t AgreeableDestroy(cudnnBackendDescriptor_t descriptor) {
  free(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

template <typename F>
void Load(void* library, const char* name, F* function) {
  *function = reinterpret_cast<F>(dlsym(library, name));
}

}  // namespace

CudnnBackend AgreeableBackend() {
  return {"agreeable",  AgreeableCreate,   AgreeableSet,
          AgreeableGet, AgreeableFinalize, AgreeableDestroy};
}

CudnnBackend VendorBackend() {
  CudnnBackend backend{.name = "vendor"};
#if defined(__SANITIZE_ADDRESS__)
  // libcudnn opens its parts by $ORIGIN, which AddressSanitizer's dlopen
  // breaks, and then ends the process.
  return backend;
#endif
  const char* path = getenv("DLTAP_TEST_CUDNN");
  if (path == nullptr) path = DLTAP_CUDNN_LIBRARY;
  void* library = *path == '\0' ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return backend;
  Load(library, "cudnnBackendCreateDescriptor", &backend.create);
  Load(library, "cudnnBackendSetAttribute", &backend.set);
  Load(library, "cudnnBackendGetAttribute", &backend.get);
  Load(library, "cudnnBackendFinalize", &backend.finalize);
  Load(library, "cudnnBackendDestroyDescriptor", &backend.destroy);
  return backend;
}

PackedExecute PackExecute(void* plan, void* pack) {
  PackedExecute out{};
  hooks::CudnnExecute::Pack(reinterpret_cast<uint8_t*>(&out), plan, pack);
  return out;
}

TappedCudnn::~TappedCudnn() {
  while (!live_.empty()) Destroy(live_.back());
}

void* TappedCudnn::Create(cudnnBackendDescriptorType_t type) {
  void* descriptor = nullptr;
  const cudnnStatus_t status = backend_.create(type, &descriptor);
  hooks::CudnnBackendCreate::After(status, type, &descriptor);
  EXPECT_EQ(status, CUDNN_STATUS_SUCCESS);
  live_.push_back(descriptor);
  return descriptor;
}

void TappedCudnn::SetRaw(void* descriptor, int name,
                         cudnnBackendAttributeType_t type, int64_t count,
                         const void* elements) {
  const cudnnStatus_t status =
      backend_.set(descriptor, static_cast<cudnnBackendAttributeName_t>(name),
                   type, count, elements);
  hooks::CudnnBackendSet::After(status, descriptor, name, type, count,
                                elements);
  EXPECT_EQ(status, CUDNN_STATUS_SUCCESS) << "attribute " << name;
}

void TappedCudnn::SetInts(void* descriptor, int name,
                          std::vector<int64_t> values) {
  SetRaw(descriptor, name, CUDNN_TYPE_INT64,
         static_cast<int64_t>(values.size()), values.data());
}

void TappedCudnn::SetType(void* descriptor, int name, cudnnDataType_t type) {
  SetRaw(descriptor, name, CUDNN_TYPE_DATA_TYPE, 1, &type);
}

void TappedCudnn::SetMode(void* descriptor, int name,
                          cudnnBackendAttributeType_t type, int mode) {
  SetRaw(descriptor, name, type, 1, &mode);
}

void TappedCudnn::SetDouble(void* descriptor, int name, double value) {
  SetRaw(descriptor, name, CUDNN_TYPE_DOUBLE, 1, &value);
}

void TappedCudnn::SetPointers(void* descriptor, int name,
                              std::vector<uint64_t> values) {
  SetRaw(descriptor, name, CUDNN_TYPE_VOID_PTR,
         static_cast<int64_t>(values.size()), values.data());
}

void TappedCudnn::SetFlag(void* descriptor, int name, bool value) {
  SetRaw(descriptor, name, CUDNN_TYPE_BOOLEAN, 1, &value);
}

void TappedCudnn::SetDescriptors(void* descriptor, int name,
                                 std::vector<void*> values) {
  SetRaw(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR,
         static_cast<int64_t>(values.size()), values.data());
}

cudnnStatus_t TappedCudnn::Finalize(void* descriptor) {
  return backend_.finalize(descriptor);
}

void TappedCudnn::Destroy(void* descriptor) {
  hooks::CudnnBackendDestroy::Before(descriptor);
  backend_.destroy(descriptor);
  std::erase(live_, descriptor);
}

void* TappedCudnn::Tensor(std::vector<int64_t> dims, cudnnDataType_t type) {
  return TensorOf(next_uid_++, std::move(dims), type);
}

void* TappedCudnn::TensorOf(int64_t uid, std::vector<int64_t> dims,
                            cudnnDataType_t type, int flag) {
  void* tensor = Create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * dims[i];
  }
  SetType(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  SetInts(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, dims);
  SetInts(tensor, CUDNN_ATTR_TENSOR_STRIDES, strides);
  SetInts(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, {uid});
  SetInts(tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16});
  if (flag != 0) SetFlag(tensor, flag, true);
  EXPECT_EQ(Finalize(tensor), CUDNN_STATUS_SUCCESS);
  return tensor;
}

void* TappedCudnn::Pack(std::vector<int64_t> uids,
                        std::vector<uint64_t> pointers) {
  void* pack = Create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  SetPointers(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, pointers);
  SetInts(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, uids);
  return pack;
}

void* TappedCudnn::Graph(std::vector<void*> operations) {
  void* graph = Create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  const auto count = static_cast<int64_t>(operations.size());
  backend_.set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS,
               CUDNN_TYPE_BACKEND_DESCRIPTOR, count, operations.data());
  hooks::CudnnBackendSet::After(0, graph, CUDNN_ATTR_OPERATIONGRAPH_OPS,
                                CUDNN_TYPE_BACKEND_DESCRIPTOR, count,
                                operations.data());
  return graph;
}

void* TappedCudnn::Plan(void* graph) {
  void* engine = Create(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  void* config = Create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  void* plan = Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  // The library refuses unfinalized descriptors here; the hooks see the calls
  // as if it had not.
  const auto hand_on = [](void* to, int name, void* from) {
    hooks::CudnnBackendSet::After(0, to, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                  &from);
  };
  hand_on(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph);
  hand_on(config, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
  hand_on(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  return plan;
}

}  // namespace dltap::shim::tagging
