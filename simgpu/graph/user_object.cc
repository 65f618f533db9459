// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/user_object.h"

#include <climits>

#include "simgpu/stream/host_executor.h"

namespace dltap::simgpu {
namespace {

// "Must be nonzero and not larger than INT_MAX."
bool IsCount(unsigned count) { return count > 0 && count <= INT_MAX; }

void Retain(UserObject& object, uint64_t count) {
  const std::lock_guard lock(object.mutex);
  object.references += count;
}

}  // namespace

Error CreateUserObject(void* data, void (*destroy)(void*), unsigned references,
                       unsigned flags, UserObject** object) {
  if (destroy == nullptr || !IsCount(references) ||
      flags != kNoDestructorSync) {
    return Error::kInvalidValue;
  }
  *object = HandlePool<UserObject>::New(data, destroy, references);
  return Error::kSuccess;
}

Error RetainUserObject(UserObject& object, unsigned count) {
  if (!IsCount(count)) return Error::kInvalidValue;
  Retain(object, count);
  return Error::kSuccess;
}

Error ReleaseUserObject(UserObject& object, uint64_t count, int64_t ready_ns) {
  {
    const std::lock_guard lock(object.mutex);
    if (count == 0 || count > object.references) return Error::kInvalidValue;
    object.references -= count;
    if (object.references > 0) return Error::kSuccess;
  }
  RunOnHost(ready_ns,
            [destroy = object.destroy, data = object.data] { destroy(data); });
  HandlePool<UserObject>::Delete(&object);
  return Error::kSuccess;
}

Error GraphRetain(UserObjects& held, UserObject& object, unsigned count,
                  unsigned flags) {
  if (!IsCount(count) || (flags & ~kUserObjectMove) != 0) {
    return Error::kInvalidValue;
  }
  if (flags != kUserObjectMove) Retain(object, count);
  held[&object] += count;
  return Error::kSuccess;
}

Error GraphRelease(UserObjects& held, UserObject& object, unsigned count) {
  const auto found = held.find(&object);
  if (!IsCount(count) || found == held.end() || found->second < count) {
    return Error::kInvalidValue;
  }
  found->second -= count;
  if (found->second == 0) held.erase(found);
  return ReleaseUserObject(object, count);
}

void RetainAll(const UserObjects& objects) {
  for (const auto& [object, count] : objects) Retain(*object, count);
}

void ReleaseAll(const UserObjects& objects, int64_t ready_ns) {
  for (const auto& [object, count] : objects) {
    ReleaseUserObject(*object, count, ready_ns);
  }
}

}  // namespace dltap::simgpu
