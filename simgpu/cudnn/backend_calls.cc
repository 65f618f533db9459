// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "simgpu/cudnn/backend_descriptor.h"

namespace dltap::simgpu {
namespace {

BackendDescriptor* From(cudnnBackendDescriptor_t handle) {
  return static_cast<BackendDescriptor*>(handle);
}

cudnnStatus_t Set(BackendBody& body, int name, cudnnBackendAttributeType_t type,
                  int64_t count, const void* elements) {
  if (count < 0) return CUDNN_STATUS_BAD_PARAM;
  BackendAttribute attribute{type, count, {}, {}};
  const auto n = static_cast<size_t>(count);
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR && elements != nullptr) {
    const auto* handles =
        static_cast<const cudnnBackendDescriptor_t*>(elements);
    for (size_t i = 0; i < n; ++i) {
      attribute.bodies.push_back(
          handles[i] == nullptr ? nullptr : From(handles[i])->body);
    }
  } else if (elements != nullptr) {
    attribute.bytes.resize(n * ElementBytes(type));
    std::memcpy(attribute.bytes.data(), elements, attribute.bytes.size());
  }
  body.attributes[name] = std::move(attribute);
  return CUDNN_STATUS_SUCCESS;
}

// Descriptors are returned into descriptors that the caller made.
void CopyBodies(const BackendAttribute& attribute, int64_t count,
                void* elements) {
  auto* handles = static_cast<cudnnBackendDescriptor_t*>(elements);
  for (int64_t i = 0; i < count; ++i) {
    if (handles[i] != nullptr) {
      From(handles[i])->body = attribute.bodies[static_cast<size_t>(i)];
    }
  }
}

cudnnStatus_t Get(const BackendBody& body, int name, int64_t requested,
                  int64_t* count, void* elements) {
  const BackendAttribute* attribute = body.Find(name);
  const int64_t available = attribute == nullptr ? 0 : attribute->count;
  if (elements == nullptr || requested == 0) {
    if (count != nullptr) *count = available;
    return CUDNN_STATUS_SUCCESS;
  }
  const int64_t given = std::clamp<int64_t>(requested, 0, available);
  if (count != nullptr) *count = given;
  if (given == 0) return CUDNN_STATUS_SUCCESS;
  if (attribute->type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    CopyBodies(*attribute, given, elements);
  } else {
    std::memcpy(elements, attribute->bytes.data(),
                static_cast<size_t>(given) * ElementBytes(attribute->type));
  }
  return CUDNN_STATUS_SUCCESS;
}

// The tensors of a variant pack and its workspace. Which of them an engine
// writes is not looked up.
std::vector<WriteTarget> TargetsOf(const BackendBody& pack) {
  std::vector<WriteTarget> targets;
  for (const int name : {CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                         CUDNN_ATTR_VARIANT_PACK_WORKSPACE}) {
    const BackendAttribute* attribute = pack.Find(name);
    if (attribute == nullptr || attribute->type != CUDNN_TYPE_VOID_PTR)
      continue;
    for (size_t at = 0; at + sizeof(void*) <= attribute->bytes.size();
         at += sizeof(void*)) {
      WriteTarget target;
      std::memcpy(&target.address, attribute->bytes.data() + at, sizeof(void*));
      targets.push_back(target);
    }
  }
  return targets;
}

}  // namespace

size_t ElementBytes(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR: return 8;
    case CUDNN_TYPE_FRACTION: return sizeof(cudnnFraction_t);
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR: return 1;
    default: return 4;  // enumerations, int32_t, float
  }
}

SIMGPU_API cudnnStatus_t cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* descriptor) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnBackendCreateDescriptor">(), [&] {
    if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *descriptor = new BackendDescriptor{std::make_shared<BackendBody>(type)};
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t
cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnBackendDestroyDescriptor">(),
                    [&] {
                      delete From(descriptor);
                      return CUDNN_STATUS_SUCCESS;
                    });
}

SIMGPU_API cudnnStatus_t
cudnnBackendInitialize(cudnnBackendDescriptor_t descriptor) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnBackendInitialize">(), [&] {
    if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    From(descriptor)->body =
        std::make_shared<BackendBody>(From(descriptor)->body->type);
    return CUDNN_STATUS_SUCCESS;
  });
}

SIMGPU_API cudnnStatus_t cudnnBackendSetAttribute(
    cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t count, const void* elements) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnBackendSetAttribute">(), [&] {
    if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    return Set(*From(descriptor)->body, name, type, count, elements);
  });
}

SIMGPU_API cudnnStatus_t cudnnBackendGetAttribute(
    cudnnBackendDescriptor_t const descriptor, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t, int64_t requested, int64_t* count,
    void* elements) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnBackendGetAttribute">(), [&] {
    if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    const BackendBody& body = *From(descriptor)->body;
    if (!body.finalized) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    return Get(body, name, requested, count, elements);
  });
}

SIMGPU_API cudnnStatus_t
cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnBackendFinalize">(), [&] {
    if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    const BodyPointer& body = From(descriptor)->body;
    const cudnnStatus_t status = FinalizeBody(body);
    if (status == CUDNN_STATUS_SUCCESS) body->finalized = true;
    return status;
  });
}

SIMGPU_API cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle,
                                             cudnnBackendDescriptor_t plan,
                                             cudnnBackendDescriptor_t pack) {
  return CudnnEntry(FunctionOf<"cudnn", "cudnnBackendExecute">(), [&] {
    if (handle == nullptr || plan == nullptr || pack == nullptr) {
      return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    }
    const BodyPointer body = From(plan)->body;
    if (!body->finalized) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
    if (body->type != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
      return CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE;
    }
    const MayWrite writes(TargetsOf(*From(pack)->body));
    return CudnnStatus(LaunchKernels(handle->stream, body->kernels));
  });
}

}  // namespace dltap::simgpu
