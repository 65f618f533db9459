// SPDX-License-Identifier: Apache-2.0
// Objects of the client's that live as long as graphs need them.
#include "simgpu/graph/user_object.h"

#include "simgpu/driver/driver_call.h"
#include "simgpu/graph/graph.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, typename Body>
CUresult OnObject(CUuserObject handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    UserObject* object = FromHandle<UserObject>(handle);
    return object == nullptr ? Error::kInvalidValue : body(*object);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuUserObjectCreate(CUuserObject* object_out, void* ptr,
                            CUhostFn destroy, unsigned int initialRefcount,
                            unsigned int flags) {
  return Driver<"cuUserObjectCreate">(DriverNeeds::kInit, [&] {
    if (object_out == nullptr) return Error::kInvalidValue;
    UserObject* object = nullptr;
    const Error error =
        CreateUserObject(ptr, destroy, initialRefcount, flags, &object);
    if (error == Error::kSuccess) *object_out = ToHandle<CUuserObject>(object);
    return error;
  });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  return OnObject<"cuUserObjectRetain">(object, [&](UserObject& found) {
    return RetainUserObject(found, count);
  });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  return OnObject<"cuUserObjectRelease">(object, [&](UserObject& found) {
    return ReleaseUserObject(found, count);
  });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object,
                                 unsigned int count, unsigned int flags) {
  return OnObject<"cuGraphRetainUserObject">(object, [&](UserObject& found) {
    Graph* owner = FromHandle<Graph>(graph);
    return owner == nullptr
               ? Error::kInvalidValue
               : GraphRetain(owner->user_objects, found, count, flags);
  });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object,
                                  unsigned int count) {
  return OnObject<"cuGraphReleaseUserObject">(object, [&](UserObject& found) {
    Graph* owner = FromHandle<Graph>(graph);
    return owner == nullptr ? Error::kInvalidValue
                            : GraphRelease(owner->user_objects, found, count);
  });
}
