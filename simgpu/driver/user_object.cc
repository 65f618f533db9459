// SPDX-License-Identifier: Apache-2.0
// Objects of the client's that live as long as graphs need them.
#include "simgpu/graph/user_object.h"

#include "simgpu/driver/driver_body.h"
#include "simgpu/graph/graph.h"

namespace dltap::simgpu::body {

Error UserObjectCreate(CUuserObject* object_out, void* ptr, CUhostFn destroy,
                       unsigned initialRefcount, unsigned flags) {
  if (object_out == nullptr) return Error::kInvalidValue;
  UserObject* object = nullptr;
  const Error error =
      CreateUserObject(ptr, destroy, initialRefcount, flags, &object);
  if (error == Error::kSuccess) *object_out = ToHandle<CUuserObject>(object);
  return error;
}

Error UserObjectRetain(CUuserObject object, unsigned count) {
  return With<UserObject>(object, [&](UserObject& found) {
    return RetainUserObject(found, count);
  });
}

Error UserObjectRelease(CUuserObject object, unsigned count) {
  return With<UserObject>(object, [&](UserObject& found) {
    return ReleaseUserObject(found, count);
  });
}

Error GraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                            unsigned flags) {
  return With<UserObject>(object, [&](UserObject& found) {
    Graph* owner = FromHandle<Graph>(graph);
    return owner == nullptr
               ? Error::kInvalidValue
               : GraphRetain(owner->user_objects, found, count, flags);
  });
}

Error GraphReleaseUserObject(CUgraph graph, CUuserObject object,
                             unsigned count) {
  return With<UserObject>(object, [&](UserObject& found) {
    Graph* owner = FromHandle<Graph>(graph);
    return owner == nullptr ? Error::kInvalidValue
                            : GraphRelease(owner->user_objects, found, count);
  });
}

}  // namespace dltap::simgpu::body
