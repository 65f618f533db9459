// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "simgpu/launch/library_call.h"
#include "simgpu/nccl/group.h"
#include "simgpu/nccl/mailbox.h"
#include "simgpu/nccl/setup.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

ncclResult_t Make(ncclComm_t* comm, int ranks, const ncclUniqueId& id, int rank,
                  const ncclConfig_t* config) {
  if (comm == nullptr || ranks < 1 || rank < 0 || rank >= ranks) {
    return ncclInvalidArgument;
  }
  *comm = JoinClique(id, ranks, rank, CurrentDevice(), config);
  return FinishSetup(*comm);
}

ncclResult_t Split(ncclComm* parent, int color, int key, ncclComm_t* made,
                   const ncclConfig_t* config) {
  if (made == nullptr || (color < 0 && color != NCCL_SPLIT_NOCOLOR)) {
    return ncclInvalidArgument;
  }
  if (const ncclResult_t usable = CheckUsable(parent); usable != ncclSuccess) {
    return usable;
  }
  ncclComm* comm = SplitOff(*parent, color, key, config);
  *made = color == NCCL_SPLIT_NOCOLOR ? nullptr : comm;
  return FinishSetup(comm);
}

// What is in flight ends without its data, here and now.
void Abort(ncclComm& comm) {
  comm.aborted = true;
  comm.generation.fetch_add(1);
  const std::lock_guard lock(comm.mutex);
  comm.setup = nullptr;
}

// All that was called before is over afterwards.
ncclResult_t Finalize(ncclComm& comm) {
  comm.finalizing = true;
  if (!comm.blocking) return comm.in_flight > 0 ? ncclInProgress : ncclSuccess;
  while (comm.in_flight > 0) usleep(50);
  return ncclSuccess;
}

ncclResult_t Shrink(ncclComm* parent, const int* excluded, int count,
                    ncclComm_t* made, const ncclConfig_t* config, int flags) {
  if (parent == nullptr || made == nullptr || excluded == nullptr ||
      count < 1) {
    return ncclInvalidArgument;
  }
  const std::vector<int> out(excluded, excluded + count);
  for (const int rank : out) {
    if (rank < 0 || rank >= parent->ranks || rank == parent->rank) {
      return ncclInvalidArgument;
    }
  }
  if ((flags & NCCL_SHRINK_ABORT) != 0) {
    parent->generation.fetch_add(1);
  } else if (const ncclResult_t usable = CheckUsable(parent);
             usable != ncclSuccess) {
    return usable;
  }
  *made = ShrinkFrom(*parent, out, config);
  return FinishSetup(*made);
}

// One of the communicator's numbers.
template <ApiName kName, typename Get>
ncclResult_t Ask(const ncclComm* comm, int* answer, Get get) {
  return Nccl<kName>([&] {
    if (comm == nullptr || answer == nullptr) return ncclInvalidArgument;
    if (comm->async_error == ncclInProgress) return ncclInvalidArgument;
    *answer = get(*comm);
    return ncclSuccess;
  });
}

const char* TextOf(ncclResult_t result) {
  switch (result) {
    case ncclSuccess: return "no error";
    case ncclUnhandledCudaError: return "unhandled cuda error";
    case ncclSystemError: return "unhandled system error";
    case ncclInternalError: return "internal error";
    case ncclInvalidArgument: return "invalid argument";
    case ncclInvalidUsage: return "invalid usage";
    case ncclRemoteError: return "remote process exited or there was an error";
    case ncclInProgress: return "NCCL operation in progress";
    default: return "unknown result code";
  }
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  return Nccl<"ncclGetVersion">([&] {
    if (version == nullptr) return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
  });
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return Nccl<"ncclGetUniqueId">([&] {
    if (id == nullptr) return ncclInvalidArgument;
    SweepAbandoned();
    Randomise(id);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id,
                              int rank) {
  return Nccl<"ncclCommInitRank">(
      [&] { return Make(comm, ranks, id, rank, nullptr); });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks,
                                    ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  return Nccl<"ncclCommInitRankConfig">(
      [&] { return Make(comm, ranks, id, rank, config); });
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int ranks, int rank,
                                      int ids, ncclUniqueId* id,
                                      ncclConfig_t* config) {
  return Nccl<"ncclCommInitRankScalable">([&] {
    if (ids < 1 || id == nullptr) return ncclInvalidArgument;
    return Make(comm, ranks, id[0], rank, config);
  });
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int devices,
                             const int* device_list) {
  return Nccl<"ncclCommInitAll">([&] {
    if (comms == nullptr || devices < 1) return ncclInvalidArgument;
    ncclUniqueId id;
    Randomise(&id);
    BeginGroup();
    for (int i = 0; i < devices; ++i) {
      const int device = device_list == nullptr ? i : device_list[i];
      comms[i] = JoinClique(id, devices, i, device, nullptr);
      QueueSetup(comms[i]);
    }
    return EndGroup();
  });
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key,
                           ncclComm_t* made, ncclConfig_t* config) {
  return Nccl<"ncclCommSplit">(
      [&] { return Split(comm, color, key, made, config); });
}

ncclResult_t ncclCommShrink(ncclComm_t comm, int* excluded, int count,
                            ncclComm_t* made, ncclConfig_t* config, int flags) {
  return Nccl<"ncclCommShrink">(
      [&] { return Shrink(comm, excluded, count, made, config, flags); });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return Nccl<"ncclCommFinalize">([&] {
    const ncclResult_t usable = CheckUsable(comm);
    return usable == ncclSuccess ? Finalize(*comm) : usable;
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t) {
  return Nccl<"ncclCommDestroy">([] { return ncclSuccess; });
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return Nccl<"ncclCommAbort">([&] {
    if (comm == nullptr) return ncclInvalidArgument;
    Abort(*comm);
    return ncclSuccess;
  });
}

// What is in flight stops; a split, a shrink or the end may follow.
ncclResult_t ncclCommRevoke(ncclComm_t comm, int flags) {
  return Nccl<"ncclCommRevoke">([&] {
    if (comm == nullptr || flags != 0) return ncclInvalidArgument;
    comm->generation.fetch_add(1);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  return Nccl<"ncclCommGetAsyncError">([&] {
    if (comm == nullptr || error == nullptr) return ncclInvalidArgument;
    Progress(*comm);
    const bool flushes = comm->finalizing && comm->in_flight > 0;
    *error = flushes ? ncclInProgress : comm->async_error.load();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  return Ask<"ncclCommCount">(comm, count,
                              [](const ncclComm& c) { return c.ranks; });
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
  return Ask<"ncclCommCuDevice">(comm, device,
                                 [](const ncclComm& c) { return c.device; });
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  return Ask<"ncclCommUserRank">(comm, rank,
                                 [](const ncclComm& c) { return c.rank; });
}

const char* ncclGetErrorString(ncclResult_t result) {
  const ApiScope scope(FunctionOf<"nccl", "ncclGetErrorString">());
  return TextOf(result);
}

const char* ncclGetLastError(ncclComm_t comm) {
  const ApiScope scope(FunctionOf<"nccl", "ncclGetLastError">());
  const bool failed = comm != nullptr && comm->async_error > ncclSuccess &&
                      comm->async_error != ncclInProgress;
  return failed ? TextOf(comm->async_error) : "";
}

}  // extern "C"
