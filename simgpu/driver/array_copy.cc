// SPDX-License-Identifier: Apache-2.0
// Copies of runs of bytes to, from and between arrays.
#include "simgpu/memory/array_copy.h"

#include "simgpu/driver/driver_body.h"
#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {
namespace {

struct End {
  CUarray array = nullptr;
  size_t offset = 0;
  const void* pointer = nullptr;
};

struct Request {
  End destination;
  End source;
  size_t bytes;
  CopyDirection direction;
};

End In(CUarray array, size_t offset) {
  return {.array = array, .offset = offset};
}
End At(const void* pointer) { return {.pointer = pointer}; }
End At(CUdeviceptr address) { return {.pointer = ToPointer(address)}; }

// An end that is neither has neither pointer nor array: MakeRunCopy() minds.
CopyEnd EndOf(const End& end) {
  return {.pointer = end.pointer,
          .array = FindArray(end.array),
          .at = {.x = end.offset}};
}

using Finish = Error (*)(Stream&, CopyWork);

Error Copy(Stream& stream, Finish finish, const Request& request) {
  const CopyEnd to = EndOf(request.destination);
  const CopyEnd from = EndOf(request.source);
  CopyWork copy;
  const Error error =
      MakeRunCopy(to, from, request.bytes, request.direction, &copy);
  return error == Error::kSuccess ? finish(stream, copy) : error;
}

constexpr auto kUp = CopyDirection::kHostToDevice;
constexpr auto kDown = CopyDirection::kDeviceToHost;
constexpr auto kInside = CopyDirection::kDeviceToDevice;

}  // namespace

namespace body {

Error MemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                 size_t bytes, Stream& stream) {
  return Copy(stream, CopySync,
              {In(to, to_offset), In(from, from_offset), bytes, kInside});
}

Error MemcpyAtoD(CUdeviceptr to, CUarray from, size_t from_offset, size_t bytes,
                 Stream& stream) {
  return Copy(stream, CopySync,
              {At(to), In(from, from_offset), bytes, kInside});
}

Error MemcpyDtoA(CUarray to, size_t to_offset, CUdeviceptr from, size_t bytes,
                 Stream& stream) {
  return Copy(stream, CopySync, {In(to, to_offset), At(from), bytes, kInside});
}

Error MemcpyAtoH(void* to, CUarray from, size_t from_offset, size_t bytes,
                 Stream& stream) {
  return Copy(stream, CopySync, {At(to), In(from, from_offset), bytes, kDown});
}

Error MemcpyAtoHAsync(void* to, CUarray from, size_t from_offset, size_t bytes,
                      Stream& stream) {
  return Copy(stream, CopyAsync, {At(to), In(from, from_offset), bytes, kDown});
}

Error MemcpyHtoA(CUarray to, size_t to_offset, const void* from, size_t bytes,
                 Stream& stream) {
  return Copy(stream, CopySync, {In(to, to_offset), At(from), bytes, kUp});
}

Error MemcpyHtoAAsync(CUarray to, size_t to_offset, const void* from,
                      size_t bytes, Stream& stream) {
  return Copy(stream, CopyAsync, {In(to, to_offset), At(from), bytes, kUp});
}

}  // namespace body
}  // namespace dltap::simgpu
