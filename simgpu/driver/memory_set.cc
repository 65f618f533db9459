// SPDX-License-Identifier: Apache-2.0
#include "simgpu/driver/driver_call.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

struct Fill {
  CUdeviceptr address;
  uint32_t value;
  uint32_t element_bytes;
  size_t width;
  size_t height = 1;
  size_t pitch = 0;
};

template <ApiName kName, bool kAsync,
          DefaultStream kNull = DefaultStream::kLegacy>
CUresult FillElements(CUstream handle, const Fill& fill) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    if (fill.address % fill.element_bytes != 0) return Error::kInvalidValue;
    MemsetWork set;
    const Error error =
        MakeMemset(ToPointer(fill.address), fill.value, fill.element_bytes,
                   fill.width, fill.height, fill.pitch, &set);
    if (error != Error::kSuccess) return error;
    return kAsync ? FillAsync(stream, set) : FillSync(stream, set);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return FillElements<"cuMemsetD8_v2", false>(nullptr, {dstDevice, uc, 1, N});
}

CUresult cuMemsetD8_v2_ptds(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return FillElements<"cuMemsetD8_v2_ptds", false, kPtsz>(
      nullptr, {dstDevice, uc, 1, N});
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N,
                         CUstream hStream) {
  return FillElements<"cuMemsetD8Async", true>(hStream, {dstDevice, uc, 1, N});
}

CUresult cuMemsetD8Async_ptsz(CUdeviceptr dstDevice, unsigned char uc, size_t N,
                              CUstream hStream) {
  return FillElements<"cuMemsetD8Async_ptsz", true, kPtsz>(
      hStream, {dstDevice, uc, 1, N});
}

CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch,
                         unsigned char uc, size_t Width, size_t Height) {
  return FillElements<"cuMemsetD2D8_v2", false>(
      nullptr, {dstDevice, uc, 1, Width, Height, dstPitch});
}

CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch,
                              unsigned char uc, size_t Width, size_t Height) {
  return FillElements<"cuMemsetD2D8_v2_ptds", false, kPtsz>(
      nullptr, {dstDevice, uc, 1, Width, Height, dstPitch});
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch,
                           unsigned char uc, size_t Width, size_t Height,
                           CUstream hStream) {
  return FillElements<"cuMemsetD2D8Async", true>(
      hStream, {dstDevice, uc, 1, Width, Height, dstPitch});
}

CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch,
                                unsigned char uc, size_t Width, size_t Height,
                                CUstream hStream) {
  return FillElements<"cuMemsetD2D8Async_ptsz", true, kPtsz>(
      hStream, {dstDevice, uc, 1, Width, Height, dstPitch});
}

CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return FillElements<"cuMemsetD16_v2", false>(nullptr, {dstDevice, us, 2, N});
}

CUresult cuMemsetD16_v2_ptds(CUdeviceptr dstDevice, unsigned short us,
                             size_t N) {
  return FillElements<"cuMemsetD16_v2_ptds", false, kPtsz>(
      nullptr, {dstDevice, us, 2, N});
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N,
                          CUstream hStream) {
  return FillElements<"cuMemsetD16Async", true>(hStream, {dstDevice, us, 2, N});
}

CUresult cuMemsetD16Async_ptsz(CUdeviceptr dstDevice, unsigned short us,
                               size_t N, CUstream hStream) {
  return FillElements<"cuMemsetD16Async_ptsz", true, kPtsz>(
      hStream, {dstDevice, us, 2, N});
}

CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch,
                          unsigned short us, size_t Width, size_t Height) {
  return FillElements<"cuMemsetD2D16_v2", false>(
      nullptr, {dstDevice, us, 2, Width, Height, dstPitch});
}

CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch,
                               unsigned short us, size_t Width, size_t Height) {
  return FillElements<"cuMemsetD2D16_v2_ptds", false, kPtsz>(
      nullptr, {dstDevice, us, 2, Width, Height, dstPitch});
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch,
                            unsigned short us, size_t Width, size_t Height,
                            CUstream hStream) {
  return FillElements<"cuMemsetD2D16Async", true>(
      hStream, {dstDevice, us, 2, Width, Height, dstPitch});
}

CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch,
                                 unsigned short us, size_t Width, size_t Height,
                                 CUstream hStream) {
  return FillElements<"cuMemsetD2D16Async_ptsz", true, kPtsz>(
      hStream, {dstDevice, us, 2, Width, Height, dstPitch});
}

CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return FillElements<"cuMemsetD32_v2", false>(nullptr, {dstDevice, ui, 4, N});
}

CUresult cuMemsetD32_v2_ptds(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return FillElements<"cuMemsetD32_v2_ptds", false, kPtsz>(
      nullptr, {dstDevice, ui, 4, N});
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N,
                          CUstream hStream) {
  return FillElements<"cuMemsetD32Async", true>(hStream, {dstDevice, ui, 4, N});
}

CUresult cuMemsetD32Async_ptsz(CUdeviceptr dstDevice, unsigned int ui, size_t N,
                               CUstream hStream) {
  return FillElements<"cuMemsetD32Async_ptsz", true, kPtsz>(
      hStream, {dstDevice, ui, 4, N});
}

CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch,
                          unsigned int ui, size_t Width, size_t Height) {
  return FillElements<"cuMemsetD2D32_v2", false>(
      nullptr, {dstDevice, ui, 4, Width, Height, dstPitch});
}

CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch,
                               unsigned int ui, size_t Width, size_t Height) {
  return FillElements<"cuMemsetD2D32_v2_ptds", false, kPtsz>(
      nullptr, {dstDevice, ui, 4, Width, Height, dstPitch});
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch,
                            unsigned int ui, size_t Width, size_t Height,
                            CUstream hStream) {
  return FillElements<"cuMemsetD2D32Async", true>(
      hStream, {dstDevice, ui, 4, Width, Height, dstPitch});
}

CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch,
                                 unsigned int ui, size_t Width, size_t Height,
                                 CUstream hStream) {
  return FillElements<"cuMemsetD2D32Async_ptsz", true, kPtsz>(
      hStream, {dstDevice, ui, 4, Width, Height, dstPitch});
}
