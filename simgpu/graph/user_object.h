// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_USER_OBJECT_H_
#define DLTAP_SIMGPU_GRAPH_USER_OBJECT_H_

#include <cstdint>
#include <map>
#include <mutex>

#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"

namespace dltap::simgpu {

// A CUuserObject: the client's data with a count of references. Its destructor
// runs after the last one is gone, on the thread of host functions: as
// documented, not on the thread that released it.
struct UserObject : Handle {
  static constexpr uint32_t kTag = 0x554f424a;  // "UOBJ"
  UserObject(void* client_data, void (*destructor)(void*), uint64_t count)
      : Handle(kTag),
        data(client_data),
        destroy(destructor),
        references(count) {}

  void* const data;
  void (*const destroy)(void*);
  std::mutex mutex;
  uint64_t references;
};

// References that a graph holds.
using UserObjects = std::map<UserObject*, uint64_t>;

// cudaUserObjectNoDestructorSync, the one flag, which must be given.
constexpr unsigned kNoDestructorSync = 1;
// cudaGraphUserObjectMove: the caller's references become the graph's.
constexpr unsigned kUserObjectMove = 1;

Error CreateUserObject(void* data, void (*destroy)(void*), unsigned references,
                       unsigned flags, UserObject** object);
Error RetainUserObject(UserObject& object, unsigned count);
// The destructor runs no earlier than `ready_ns`.
Error ReleaseUserObject(UserObject& object, uint64_t count,
                        int64_t ready_ns = 0);

Error GraphRetain(UserObjects& held, UserObject& object, unsigned count,
                  unsigned flags);
Error GraphRelease(UserObjects& held, UserObject& object, unsigned count);

// For clones of a graph and their end.
void RetainAll(const UserObjects& objects);
void ReleaseAll(const UserObjects& objects, int64_t ready_ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_USER_OBJECT_H_
