// SPDX-License-Identifier: Apache-2.0
// Host functions of NCCL's device API (2.28 and later), which PyTorch imports.
// They are declared by nccl_device/core.h, whose other content needs nvcc.
#ifndef DLTAP_SHIM_SPECS_SUPPLEMENT_NCCL_DEVICE_H_
#define DLTAP_SHIM_SPECS_SUPPLEMENT_NCCL_DEVICE_H_

#include <nccl.h>

extern "C" {

struct ncclDevComm;
struct ncclDevCommRequirements;

ncclResult_t ncclDevCommCreate(ncclComm_t comm,
                               const ncclDevCommRequirements* requirements,
                               ncclDevComm* outDevComm);
ncclResult_t ncclDevCommDestroy(ncclComm_t comm, const ncclDevComm* devComm);

}  // extern "C"

#endif  // DLTAP_SHIM_SPECS_SUPPLEMENT_NCCL_DEVICE_H_
