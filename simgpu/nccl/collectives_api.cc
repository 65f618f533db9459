// SPDX-License-Identifier: Apache-2.0
#include "simgpu/nccl/group.h"

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

ncclResult_t ncclAllReduce(const void* input, void* output, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  return Nccl<"ncclAllReduce">([&] {
    return Enqueue({Collective::kAllReduce, input, output, count, type, op, 0,
                    comm, stream});
  });
}

ncclResult_t ncclAllGather(const void* input, void* output, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return Nccl<"ncclAllGather">([&] {
    return Enqueue({Collective::kAllGather, input, output, count, type, ncclSum,
                    0, comm, stream});
  });
}

ncclResult_t ncclReduceScatter(const void* input, void* output, size_t count,
                               ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
  return Nccl<"ncclReduceScatter">([&] {
    return Enqueue({Collective::kReduceScatter, input, output, count, type, op,
                    0, comm, stream});
  });
}

ncclResult_t ncclBroadcast(const void* input, void* output, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  return Nccl<"ncclBroadcast">([&] {
    return Enqueue({Collective::kBroadcast, input, output, count, type, ncclSum,
                    root, comm, stream});
  });
}

ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type,
                       int root, ncclComm_t comm, cudaStream_t stream) {
  return Nccl<"ncclBcast">([&] {
    return Enqueue({Collective::kBroadcast, buffer, buffer, count, type,
                    ncclSum, root, comm, stream});
  });
}

ncclResult_t ncclReduce(const void* input, void* output, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  return Nccl<"ncclReduce">([&] {
    return Enqueue({Collective::kReduce, input, output, count, type, op, root,
                    comm, stream});
  });
}

ncclResult_t ncclAlltoAll(const void* input, void* output, size_t count,
                          ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  return Nccl<"ncclAlltoAll">([&] {
    return Enqueue({Collective::kAllToAll, input, output, count, type, ncclSum,
                    0, comm, stream});
  });
}

ncclResult_t ncclGather(const void* input, void* output, size_t count,
                        ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  return Nccl<"ncclGather">([&] {
    return Enqueue({Collective::kGather, input, output, count, type, ncclSum,
                    root, comm, stream});
  });
}

ncclResult_t ncclScatter(const void* input, void* output, size_t count,
                         ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream) {
  return Nccl<"ncclScatter">([&] {
    return Enqueue({Collective::kScatter, input, output, count, type, ncclSum,
                    root, comm, stream});
  });
}

ncclResult_t ncclSend(const void* input, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  return Nccl<"ncclSend">([&] {
    return Enqueue({Collective::kSend, input, nullptr, count, type, ncclSum,
                    peer, comm, stream});
  });
}

ncclResult_t ncclRecv(void* output, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return Nccl<"ncclRecv">([&] {
    return Enqueue({Collective::kReceive, nullptr, output, count, type, ncclSum,
                    peer, comm, stream});
  });
}

ncclResult_t ncclGroupStart() {
  return Nccl<"ncclGroupStart">([] {
    BeginGroup();
    return ncclSuccess;
  });
}

ncclResult_t ncclGroupEnd() {
  return Nccl<"ncclGroupEnd">([] { return EndGroup(); });
}

}  // extern "C"
