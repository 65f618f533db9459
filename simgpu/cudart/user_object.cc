// SPDX-License-Identifier: Apache-2.0
// Objects of the client's that live as long as graphs need them.
#include "simgpu/graph/user_object.h"

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/graph/graph.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, typename Body>
cudaError_t OnObject(cudaUserObject_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    UserObject* object = FromHandle<UserObject>(handle);
    return object == nullptr ? Error::kInvalidValue : body(*object);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object_out, void* ptr,
                                 cudaHostFn_t destroy,
                                 unsigned int initialRefcount,
                                 unsigned int flags) {
  return Runtime<"cudaUserObjectCreate">(Needs::kContext, [&] {
    if (object_out == nullptr) return Error::kInvalidValue;
    UserObject* object = nullptr;
    const Error error =
        CreateUserObject(ptr, destroy, initialRefcount, flags, &object);
    if (error == Error::kSuccess)
      *object_out = ToHandle<cudaUserObject_t>(object);
    return error;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  return OnObject<"cudaUserObjectRetain">(object, [&](UserObject& found) {
    return RetainUserObject(found, count);
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  return OnObject<"cudaUserObjectRelease">(object, [&](UserObject& found) {
    return ReleaseUserObject(found, count);
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                      cudaUserObject_t object,
                                      unsigned int count, unsigned int flags) {
  return OnObject<"cudaGraphRetainUserObject">(object, [&](UserObject& found) {
    Graph* owner = FromHandle<Graph>(graph);
    return owner == nullptr
               ? Error::kInvalidValue
               : GraphRetain(owner->user_objects, found, count, flags);
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
                                       cudaUserObject_t object,
                                       unsigned int count) {
  return OnObject<"cudaGraphReleaseUserObject">(object, [&](UserObject& found) {
    Graph* owner = FromHandle<Graph>(graph);
    return owner == nullptr ? Error::kInvalidValue
                            : GraphRelease(owner->user_objects, found, count);
  });
}
