// SPDX-License-Identifier: Apache-2.0
// Functions that NCCL gained from 2.29 to 2.30 and that PyTorch 2.15 links to;
// the header that the project is built with is older. Prototypes: nccl.h and
// nccl_device/core.h of NCCL 2.30. Enumerations are ints.
#ifndef DLTAP_SHIM_SPECS_SUPPLEMENT_NCCL_RECENT_H_
#define DLTAP_SHIM_SPECS_SUPPLEMENT_NCCL_RECENT_H_

#include <nccl.h>
#include <stdint.h>

#if NCCL_VERSION_CODE < NCCL_VERSION(2, 30, 0)

extern "C" {

struct ncclWaitSignalDesc;

ncclResult_t ncclCommGetUniqueId(ncclComm_t comm, ncclUniqueId* uniqueId);
ncclResult_t ncclCommGrow(ncclComm_t comm, int nRanks,
                          const ncclUniqueId* uniqueId, int rank,
                          ncclComm_t* newcomm, ncclConfig_t* config);
ncclResult_t ncclCommSuspend(ncclComm_t comm, int flags);
ncclResult_t ncclCommResume(ncclComm_t comm);
ncclResult_t ncclCommMemStats(ncclComm_t comm, int stat, uint64_t* value);
ncclResult_t ncclWinGetUserPtr(ncclComm_t comm, ncclWindow_t win,
                               void** outUserPtr);
ncclResult_t ncclPutSignal(const void* localbuff, size_t count,
                           ncclDataType_t datatype, int peer,
                           ncclWindow_t peerWin, size_t peerWinOffset,
                           int sigIdx, int ctx, unsigned int flags,
                           ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclSignal(int peer, int sigIdx, int ctx, unsigned int flags,
                        ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclWaitSignal(int nDesc, ncclWaitSignalDesc* signalDescs,
                            ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclGetLsaMultimemDevicePointer(ncclWindow_t window, size_t offset,
                                             void** outPtr);
ncclResult_t ncclGetPeerDevicePointer(ncclWindow_t window, size_t offset,
                                      int peer, void** outPtr);

}  // extern "C"

#endif

#endif  // DLTAP_SHIM_SPECS_SUPPLEMENT_NCCL_RECENT_H_
