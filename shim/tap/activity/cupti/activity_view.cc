// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/activity_view.h"

#include <cuda.h>
#include <cupti.h>

#include <cstddef>
#include <cstring>

namespace dltap::shim::cupti {
namespace {

// Reads fields of one record, 0 beyond its size.
class Fields {
 public:
  Fields(const void* record, uint32_t size)
      : record_(static_cast<const uint8_t*>(record)), size_(size) {}

  template <typename T>
  T At(uint32_t offset) const {
    T value{};
    if (offset + sizeof(T) <= size_) {
      memcpy(&value, record_ + offset, sizeof(value));
    }
    return value;
  }
  uint64_t U64(uint32_t offset) const { return At<uint64_t>(offset); }
  uint32_t U32(uint32_t offset) const { return At<uint32_t>(offset); }
  std::array<uint32_t, 3> Triple(uint32_t offset) const {
    return {U32(offset), U32(offset + 4), U32(offset + 8)};
  }

 private:
  const uint8_t* record_;
  uint32_t size_;
};

struct VersionSizes {
  uint32_t first_version;
  ActivitySizes sizes;
};

// By the headers' notes of deprecation: CUDA 11.0 wrote Kernel5, Memcpy,
// MemcpyPtoP, Memset; 11.1 Memcpy3, MemcpyPtoP2, Memset2; 11.2 Kernel6; 11.6
// Kernel7, Memcpy4, MemcpyPtoP3, Memset3; 11.8 Kernel8; 12.0 Kernel9; 12.8
// Memcpy6; 13.0 Kernel10. Where a release is in doubt the smaller size stands:
// a field is then unknown, never wrong.
constexpr VersionSizes kVersions[] = {
    {13, {160, 64, 72, 64}},      // 11.0
    {14, {160, 72, 80, 72}},      // 11.1
    {15, {168, 72, 80, 72}},      // 11.2
    {17, {176, 80, 88, 80}},      // 11.6
    {18, {200, 88, 96, 88}},      // 11.8
    {19, {208, 88, 96, 88}},      // 12.0
    {26, {208, 96, 96, 88}},      // 12.8
    {130000, {216, 96, 96, 88}},  // 13.0
};

// The structures of the headers at hand agree with the offsets below.
#define DLTAP_CHECK(type, field, offset)           \
  static_assert(offsetof(type, field) == (offset), \
                "CUPTI's layouts are stable by prefix");
DLTAP_CHECK(CUpti_ActivityKernel5, correlationId, 92)
DLTAP_CHECK(CUpti_ActivityKernel5, graphNodeId, 144)
DLTAP_CHECK(CUpti_ActivityKernel6, graphId, 156)
DLTAP_CHECK(CUpti_ActivityKernel8, clusterX, 176)
DLTAP_CHECK(CUpti_ActivityKernel9, name, 104)
DLTAP_CHECK(CUpti_ActivityKernel9, registersPerThread, 6)
DLTAP_CHECK(CUpti_ActivityMemcpy5, graphNodeId, 64)
DLTAP_CHECK(CUpti_ActivityMemcpy5, graphId, 72)
DLTAP_CHECK(CUpti_ActivityMemcpyPtoP4, correlationId, 60)
DLTAP_CHECK(CUpti_ActivityMemcpyPtoP4, graphNodeId, 72)
DLTAP_CHECK(CUpti_ActivityMemset4, memoryKind, 50)
DLTAP_CHECK(CUpti_ActivityMemset4, graphId, 72)
DLTAP_CHECK(CUpti_ActivityAPI, correlationId, 32)
DLTAP_CHECK(CUpti_ActivityExternalCorrelation, correlationId, 16)
#undef DLTAP_CHECK
static_assert(sizeof(CUpti_ActivityKernel5) == 160 &&
              sizeof(CUpti_ActivityKernel6) == 168 &&
              sizeof(CUpti_ActivityKernel7) == 176 &&
              sizeof(CUpti_ActivityKernel8) == 200 &&
              sizeof(CUpti_ActivityKernel9) == 208);

CopyView CommonCopy(const Fields& at) {
  CopyView view{};
  view.copy_kind = at.At<uint8_t>(4);
  view.source = at.At<uint8_t>(5);
  view.target = at.At<uint8_t>(6);
  view.is_async = (at.At<uint8_t>(7) & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0;
  view.bytes = at.U64(8);
  view.start_ns = at.U64(16);
  view.end_ns = at.U64(24);
  view.device = at.U32(32);
  view.context = at.U32(36);
  view.stream = at.U32(40);
  return view;
}

}  // namespace

ActivitySizes SizesOf(uint32_t version) {
  ActivitySizes sizes = kVersions[0].sizes;
  for (const VersionSizes& known : kVersions) {
    if (version >= known.first_version) sizes = known.sizes;
  }
  return sizes;
}

ActivityKind KindOf(const void* record) {
  return static_cast<ActivityKind>(Fields(record, 4).U32(0));
}

KernelView ReadKernel(const void* record, const ActivitySizes& sizes) {
  const Fields at(record, sizes.kernel);
  return {.start_ns = at.U64(16),
          .end_ns = at.U64(24),
          .graph_node = at.U64(144),
          .device = at.U32(40),
          .context = at.U32(44),
          .stream = at.U32(48),
          .correlation = at.U32(92),
          .graph = at.U32(156),
          .grid = at.Triple(52),
          .block = at.Triple(64),
          .cluster = at.Triple(176),
          .static_shared = at.U32(76),
          .dynamic_shared = at.U32(80),
          .local_per_thread = at.U32(84),
          .registers = at.At<uint16_t>(6),
          .name = at.At<const char*>(104)};
}

CopyView ReadCopy(const void* record, const ActivitySizes& sizes) {
  const Fields at(record, sizes.memcpy);
  CopyView view = CommonCopy(at);
  view.correlation = at.U32(44);
  view.graph_node = at.U64(64);
  view.graph = at.U32(72);
  view.source_device = view.target_device = 0xFFFFFFFF;
  return view;
}

CopyView ReadPeerCopy(const void* record, const ActivitySizes& sizes) {
  const Fields at(record, sizes.peer_copy);
  CopyView view = CommonCopy(at);
  view.source_device = at.U32(44);
  view.target_device = at.U32(52);
  view.correlation = at.U32(60);
  view.graph_node = at.U64(72);
  view.graph = at.U32(80);
  return view;
}

MemsetView ReadMemset(const void* record, const ActivitySizes& sizes) {
  const Fields at(record, sizes.memset);
  return {.start_ns = at.U64(16),
          .end_ns = at.U64(24),
          .bytes = at.U64(8),
          .graph_node = at.U64(64),
          .device = at.U32(32),
          .context = at.U32(36),
          .stream = at.U32(40),
          .correlation = at.U32(44),
          .graph = at.U32(72),
          .value = at.U32(4),
          .memory_kind = static_cast<uint8_t>(at.At<uint16_t>(50)),
          .is_async =
              (at.At<uint16_t>(48) & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) != 0};
}

ApiView ReadApi(const void* record) {
  const Fields at(record, sizeof(CUpti_ActivityAPI));
  return {.start_ns = at.U64(8),
          .end_ns = at.U64(16),
          .cbid = at.U32(4),
          .thread = at.U32(28),
          .correlation = at.U32(32)};
}

ExternalView ReadExternal(const void* record) {
  const Fields at(record, sizeof(CUpti_ActivityExternalCorrelation));
  return {.id = at.U64(8), .kind = at.U32(4), .correlation = at.U32(16)};
}

}  // namespace dltap::shim::cupti
