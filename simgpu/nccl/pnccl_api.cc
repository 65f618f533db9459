// SPDX-License-Identifier: Apache-2.0
// The second names of NCCL's functions (nccl.h, "PNCCL"): a tool that defines
// ncclAllReduce itself calls pncclAllReduce to go on. Counted by their own
// names.
#include "simgpu/nccl/nccl_call.h"

// Inside this library a name means its own function, even if a tool wraps it.
#define SIMGPU_PNCCL(RESULT, NAME, PARAMETERS, ARGUMENTS) \
  RESULT p##NAME PARAMETERS {                             \
    const dltap::simgpu::CallAs as(                       \
        dltap::simgpu::FunctionOf<"nccl", "p" #NAME>());  \
    return NAME ARGUMENTS;                                \
  }

extern "C" {

SIMGPU_PNCCL(ncclResult_t, ncclAllGather,
             (const void *sendbuff, void *recvbuff, size_t sendcount,
              ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream),
             (sendbuff, recvbuff, sendcount, datatype, comm, stream))
SIMGPU_PNCCL(ncclResult_t, ncclAllReduce,
             (const void *sendbuff, void *recvbuff, size_t count,
              ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
              cudaStream_t stream),
             (sendbuff, recvbuff, count, datatype, op, comm, stream))
SIMGPU_PNCCL(ncclResult_t, ncclAlltoAll,
             (const void *sendbuff, void *recvbuff, size_t count,
              ncclDataType_t datatype, ncclComm_t comm, cudaStream_t stream),
             (sendbuff, recvbuff, count, datatype, comm, stream))
SIMGPU_PNCCL(ncclResult_t, ncclBcast,
             (void *buff, size_t count, ncclDataType_t datatype, int root,
              ncclComm_t comm, cudaStream_t stream),
             (buff, count, datatype, root, comm, stream))
SIMGPU_PNCCL(ncclResult_t, ncclBroadcast,
             (const void *sendbuff, void *recvbuff, size_t count,
              ncclDataType_t datatype, int root, ncclComm_t comm,
              cudaStream_t stream),
             (sendbuff, recvbuff, count, datatype, root, comm, stream))
SIMGPU_PNCCL(ncclResult_t, ncclCommAbort, (ncclComm_t comm), (comm))
SIMGPU_PNCCL(ncclResult_t, ncclCommCount, (const ncclComm_t comm, int *count),
             (comm, count))
SIMGPU_PNCCL(ncclResult_t, ncclCommCuDevice,
             (const ncclComm_t comm, int *device), (comm, device))
SIMGPU_PNCCL(ncclResult_t, ncclCommDeregister,
             (const ncclComm_t comm, void *handle), (comm, handle))
SIMGPU_PNCCL(ncclResult_t, ncclCommDestroy, (ncclComm_t comm), (comm))
SIMGPU_PNCCL(ncclResult_t, ncclCommFinalize, (ncclComm_t comm), (comm))
SIMGPU_PNCCL(ncclResult_t, ncclCommGetAsyncError,
             (ncclComm_t comm, ncclResult_t *asyncError), (comm, asyncError))
SIMGPU_PNCCL(ncclResult_t, ncclCommInitAll,
             (ncclComm_t * comm, int ndev, const int *devlist),
             (comm, ndev, devlist))
SIMGPU_PNCCL(ncclResult_t, ncclCommInitRank,
             (ncclComm_t * comm, int nranks, ncclUniqueId commId, int rank),
             (comm, nranks, commId, rank))
SIMGPU_PNCCL(ncclResult_t, ncclCommInitRankConfig,
             (ncclComm_t * comm, int nranks, ncclUniqueId commId, int rank,
              ncclConfig_t *config),
             (comm, nranks, commId, rank, config))
SIMGPU_PNCCL(ncclResult_t, ncclCommInitRankScalable,
             (ncclComm_t * newcomm, int nranks, int myrank, int nId,
              ncclUniqueId *commIds, ncclConfig_t *config),
             (newcomm, nranks, myrank, nId, commIds, config))
SIMGPU_PNCCL(ncclResult_t, ncclCommRegister,
             (const ncclComm_t comm, void *buff, size_t size, void **handle),
             (comm, buff, size, handle))
SIMGPU_PNCCL(ncclResult_t, ncclCommRevoke, (ncclComm_t comm, int revokeFlags),
             (comm, revokeFlags))
SIMGPU_PNCCL(ncclResult_t, ncclCommShrink,
             (ncclComm_t comm, int *excludeRanksList, int excludeRanksCount,
              ncclComm_t *newcomm, ncclConfig_t *config, int shrinkFlags),
             (comm, excludeRanksList, excludeRanksCount, newcomm, config,
              shrinkFlags))
SIMGPU_PNCCL(ncclResult_t, ncclCommSplit,
             (ncclComm_t comm, int color, int key, ncclComm_t *newcomm,
              ncclConfig_t *config),
             (comm, color, key, newcomm, config))
SIMGPU_PNCCL(ncclResult_t, ncclCommUserRank, (const ncclComm_t comm, int *rank),
             (comm, rank))
SIMGPU_PNCCL(ncclResult_t, ncclCommWindowDeregister,
             (ncclComm_t comm, ncclWindow_t win), (comm, win))
SIMGPU_PNCCL(ncclResult_t, ncclCommWindowRegister,
             (ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win,
              int winFlags),
             (comm, buff, size, win, winFlags))
SIMGPU_PNCCL(ncclResult_t, ncclGather,
             (const void *sendbuff, void *recvbuff, size_t count,
              ncclDataType_t datatype, int root, ncclComm_t comm,
              cudaStream_t stream),
             (sendbuff, recvbuff, count, datatype, root, comm, stream))
SIMGPU_PNCCL(const char *, ncclGetErrorString, (ncclResult_t result), (result))
SIMGPU_PNCCL(const char *, ncclGetLastError, (ncclComm_t comm), (comm))
SIMGPU_PNCCL(ncclResult_t, ncclGetUniqueId, (ncclUniqueId * uniqueId),
             (uniqueId))
SIMGPU_PNCCL(ncclResult_t, ncclGetVersion, (int *version), (version))
SIMGPU_PNCCL(ncclResult_t, ncclGroupEnd, (), ())
SIMGPU_PNCCL(ncclResult_t, ncclGroupStart, (), ())
SIMGPU_PNCCL(ncclResult_t, ncclMemAlloc, (void **ptr, size_t size), (ptr, size))
SIMGPU_PNCCL(ncclResult_t, ncclMemFree, (void *ptr), (ptr))
SIMGPU_PNCCL(ncclResult_t, ncclRecv,
             (void *recvbuff, size_t count, ncclDataType_t datatype, int peer,
              ncclComm_t comm, cudaStream_t stream),
             (recvbuff, count, datatype, peer, comm, stream))
SIMGPU_PNCCL(ncclResult_t, ncclRedOpCreatePreMulSum,
             (ncclRedOp_t * op, void *scalar, ncclDataType_t datatype,
              ncclScalarResidence_t residence, ncclComm_t comm),
             (op, scalar, datatype, residence, comm))
SIMGPU_PNCCL(ncclResult_t, ncclRedOpDestroy, (ncclRedOp_t op, ncclComm_t comm),
             (op, comm))
SIMGPU_PNCCL(ncclResult_t, ncclReduce,
             (const void *sendbuff, void *recvbuff, size_t count,
              ncclDataType_t datatype, ncclRedOp_t op, int root,
              ncclComm_t comm, cudaStream_t stream),
             (sendbuff, recvbuff, count, datatype, op, root, comm, stream))
SIMGPU_PNCCL(ncclResult_t, ncclReduceScatter,
             (const void *sendbuff, void *recvbuff, size_t recvcount,
              ncclDataType_t datatype, ncclRedOp_t op, ncclComm_t comm,
              cudaStream_t stream),
             (sendbuff, recvbuff, recvcount, datatype, op, comm, stream))
SIMGPU_PNCCL(ncclResult_t, ncclScatter,
             (const void *sendbuff, void *recvbuff, size_t count,
              ncclDataType_t datatype, int root, ncclComm_t comm,
              cudaStream_t stream),
             (sendbuff, recvbuff, count, datatype, root, comm, stream))
SIMGPU_PNCCL(ncclResult_t, ncclSend,
             (const void *sendbuff, size_t count, ncclDataType_t datatype,
              int peer, ncclComm_t comm, cudaStream_t stream),
             (sendbuff, count, datatype, peer, comm, stream))

}  // extern "C"
