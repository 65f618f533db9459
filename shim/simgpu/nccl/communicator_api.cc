// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "shim/simgpu/device/library_call.h"
#include "shim/simgpu/nccl/group.h"
#include "shim/simgpu/nccl/mailbox.h"

namespace dltap::simgpu {
namespace {

// Names of shared memory objects are made of it.
std::string CliqueOf(const ncclUniqueId& id) {
  uint64_t words[2];
  std::memcpy(words, id.internal, sizeof words);
  char text[40];
  std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, words[0],
                words[1]);
  return text;
}

ncclResult_t Make(ncclComm_t* comm, int ranks, const ncclUniqueId& id,
                  int rank) {
  if (comm == nullptr || ranks < 1 || rank < 0 || rank >= ranks) {
    return ncclInvalidArgument;
  }
  *comm = new ncclComm(CliqueOf(id), ranks, rank, CurrentDevice());
  return ncclSuccess;
}

void Randomise(ncclUniqueId* id) {
  std::random_device random;
  std::memset(id, 0, sizeof *id);
  for (size_t i = 0; i < 16; i += sizeof(unsigned)) {
    const unsigned word = random();
    std::memcpy(id->internal + i, &word, sizeof word);
  }
}

// Where each rank of the parent goes.
struct Wish {
  int color;
  int key;
};

// Every rank tells every other, as a collective of the parent does.
std::vector<Wish> Exchanged(ncclComm& parent, Wish own) {
  const std::string prefix =
      parent.id + "-s" + std::to_string(parent.NextCollective());
  Publish(prefix + "-" + std::to_string(parent.rank), &own, sizeof own,
          static_cast<uint32_t>(parent.ranks));
  std::vector<Wish> wishes(parent.ranks);
  for (int rank = 0; rank < parent.ranks; ++rank) {
    const Message message(prefix + "-" + std::to_string(rank), parent.aborted);
    if (message.valid()) std::memcpy(&wishes[rank], message.data(), sizeof own);
  }
  return wishes;
}

ncclComm* Split(ncclComm& parent, int color, int key) {
  const std::vector<Wish> wishes = Exchanged(parent, {color, key});
  if (color == NCCL_SPLIT_NOCOLOR) return nullptr;
  int ranks = 0;
  int rank = 0;
  for (int other = 0; other < parent.ranks; ++other) {
    if (wishes[other].color != color) continue;
    ++ranks;
    const bool before = wishes[other].key < key ||
                        (wishes[other].key == key && other < parent.rank);
    if (before) ++rank;
  }
  const std::string clique = parent.id + "." + std::to_string(color) + "." +
                             std::to_string(parent.NextCollective());
  return new ncclComm(clique, ranks, rank, parent.device);
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
    Randomise(id);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id,
                              int rank) {
  return Nccl<"ncclCommInitRank">([&] { return Make(comm, ranks, id, rank); });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks,
                                    ncclUniqueId id, int rank, ncclConfig_t*) {
  return Nccl<"ncclCommInitRankConfig">(
      [&] { return Make(comm, ranks, id, rank); });
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int ranks, int rank,
                                      int ids, ncclUniqueId* id,
                                      ncclConfig_t*) {
  return Nccl<"ncclCommInitRankScalable">([&] {
    if (ids < 1 || id == nullptr) return ncclInvalidArgument;
    return Make(comm, ranks, id[0], rank);
  });
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int devices,
                             const int* device_list) {
  return Nccl<"ncclCommInitAll">([&] {
    if (comms == nullptr || devices < 1) return ncclInvalidArgument;
    ncclUniqueId id;
    Randomise(&id);
    for (int i = 0; i < devices; ++i) {
      const int device = device_list == nullptr ? i : device_list[i];
      comms[i] = new ncclComm(CliqueOf(id), devices, i, device);
    }
    return ncclSuccess;
  });
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key,
                           ncclComm_t* made, ncclConfig_t*) {
  return Nccl<"ncclCommSplit">([&] {
    if (comm == nullptr || made == nullptr) return ncclInvalidArgument;
    *made = Split(*comm, color, key);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return Nccl<"ncclCommFinalize">(
      [&] { return comm == nullptr ? ncclInvalidArgument : ncclSuccess; });
}

// Leaked, a few bytes: work in flight may still name it.
ncclResult_t ncclCommDestroy(ncclComm_t) {
  return Nccl<"ncclCommDestroy">([] { return ncclSuccess; });
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  return Nccl<"ncclCommAbort">([&] {
    if (comm == nullptr) return ncclInvalidArgument;
    comm->aborted = true;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  return Nccl<"ncclCommGetAsyncError">([&] {
    if (comm == nullptr || error == nullptr) return ncclInvalidArgument;
    *error = comm->async_error;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  return Nccl<"ncclCommCount">([&] {
    if (comm == nullptr || count == nullptr) return ncclInvalidArgument;
    *count = comm->ranks;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
  return Nccl<"ncclCommCuDevice">([&] {
    if (comm == nullptr || device == nullptr) return ncclInvalidArgument;
    *device = comm->device;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  return Nccl<"ncclCommUserRank">([&] {
    if (comm == nullptr || rank == nullptr) return ncclInvalidArgument;
    *rank = comm->rank;
    return ncclSuccess;
  });
}

const char* ncclGetErrorString(ncclResult_t result) {
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

const char* ncclGetLastError(ncclComm_t) { return ""; }

}  // extern "C"
