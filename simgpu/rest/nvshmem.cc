// SPDX-License-Identifier: Apache-2.0
// NVSHMEM 3.7: how kernels reach other GPUs, which PyTorch 2.15 links to. Four
// bytes (device_host/nvshmem_types.h); zero stands for the transport by proxy.
extern "C" {
__attribute__((visibility("default"))) int nvshmem_selected_device_transport =
    0;
}
