// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/device_definitions.h"

#include <cuda.h>
#include <library_types.h>

#include <cstring>

#include "shim/tap/entry/real_functions.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/trace_output.h"
#include "tap_tables.h"

namespace dltap::shim {
namespace {

// Library versions are asked for again every so many passes: libraries are
// loaded late.
constexpr int kPassesBetweenVersions = 50;

constinit bool g_devices_written = false;
constinit int g_passes = 0;
constinit trace::VersionsRecord g_written_versions{};

template <typename Function>
Function Real(const char* symbol) {
  return reinterpret_cast<Function>(FindReal(symbol));
}

// Calls `symbol` if it is there; false unless it succeeds.
template <typename... Args>
bool Ask(const char* symbol, Args... args) {
  const auto function = Real<int (*)(Args...)>(symbol);
  return function != nullptr && function(args...) == 0;
}

// The driver's device, or, in a process where only the runtime is mapped, the
// runtime's: ordinals and attributes have the same numbers in both.
uint32_t Attribute(CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  if (!Ask("cuDeviceGetAttribute", &value, attribute, device)) {
    Ask("cudaDeviceGetAttribute", &value, attribute, device);
  }
  return static_cast<uint32_t>(value);
}

struct Identity {
  char name[256];
  uint8_t uuid[16];
  uint64_t memory_bytes;
};

bool AskDriver(CUdevice device, Identity* identity) {
  CUuuid uuid{};
  size_t memory_bytes = 0;
  if (!Ask("cuDeviceGetName", &identity->name[0],
           static_cast<int>(sizeof(identity->name) - 1), device)) {
    return false;
  }
  if (Ask("cuDeviceGetUuid_v2", &uuid, device) ||
      Ask("cuDeviceGetUuid", &uuid, device)) {
    memcpy(identity->uuid, uuid.bytes, sizeof(identity->uuid));
  }
  Ask("cuDeviceTotalMem_v2", &memory_bytes, device);
  identity->memory_bytes = memory_bytes;
  return true;
}

// cudaDeviceProp begins alike in CUDA 12 and 13; it has grown at its end, so it
// gets more room than any release needs.
void AskRuntime(CUdevice device, Identity* identity) {
  struct Properties {
    char name[256];
    uint8_t uuid[16];
    uint8_t luid[8];
    uint32_t luid_mask;
    uint64_t memory_bytes;
    uint8_t rest[4096];
  };
  alignas(16) static constinit Properties properties{};
  if (!Ask("cudaGetDeviceProperties_v2", &properties, device) &&
      !Ask("cudaGetDeviceProperties", &properties, device)) {
    return;
  }
  memcpy(identity->name, properties.name, sizeof(identity->name) - 1);
  memcpy(identity->uuid, properties.uuid, sizeof(identity->uuid));
  identity->memory_bytes = properties.memory_bytes;
}

void WriteDevice(int ordinal) {
  CUdevice device = ordinal;
  Ask("cuDeviceGet", &device, ordinal);
  trace::DeviceRecord record = {};
  record.id = static_cast<uint32_t>(ordinal);
  record.sms = Attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  record.pci_domain = Attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
  record.pci_bus =
      static_cast<uint16_t>(Attribute(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID));
  record.pci_device = static_cast<uint16_t>(
      Attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
  record.compute_major = static_cast<uint16_t>(
      Attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  record.compute_minor = static_cast<uint16_t>(
      Attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  record.core_clock_khz = Attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  record.memory_clock_khz =
      Attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  record.memory_bus_bits =
      Attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  record.l2_bytes = Attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  Identity identity{};
  if (!AskDriver(device, &identity)) AskRuntime(device, &identity);
  record.memory_bytes = identity.memory_bytes;
  memcpy(record.uuid, identity.uuid, sizeof(record.uuid));
  WriteRecord(trace::BlockKind::kDefinitions, record,
              trace::Piece::String(identity.name, strlen(identity.name)));
}

// False until the driver is initialized, which is never our doing.
bool WriteDevices() {
  int count = 0;
  const bool has_driver = FindReal("cuDeviceGetCount") != nullptr;
  if (!Ask(has_driver ? "cuDeviceGetCount" : "cudaGetDeviceCount", &count)) {
    return false;
  }
  for (int i = 0; i < count; ++i) WriteDevice(i);
  return true;
}

int32_t VersionFrom(const char* symbol) {
  const auto version = Real<size_t (*)()>(symbol);
  return version != nullptr ? static_cast<int32_t>(version()) : 0;
}

int32_t CublasVersion() {
  int major = 0, minor = 0, patch = 0;
  const bool known = Ask("cublasGetProperty", MAJOR_VERSION, &major) &&
                     Ask("cublasGetProperty", MINOR_VERSION, &minor) &&
                     Ask("cublasGetProperty", PATCH_LEVEL, &patch);
  return known ? major * 10000 + minor * 100 + patch : 0;
}

// libcudnn.so loads large libraries when it is asked anything, so only that of
// a process which has called it is asked.
bool CudnnIsInUse() {
  constexpr auto kCreate = specs::EntryPoint::kCudnnCreate;
  return g_real[specs::CounterOf(kCreate)].load(std::memory_order_relaxed) !=
         nullptr;
}

void WriteVersions() {
  trace::VersionsRecord record = {};
  Ask("cuDriverGetVersion", &record.driver);
  Ask("cudaRuntimeGetVersion", &record.runtime);
  record.cublas = CublasVersion();
  record.cublaslt = VersionFrom("cublasLtGetVersion");
  if (CudnnIsInUse()) record.cudnn = VersionFrom("cudnnGetVersion");
  Ask("ncclGetVersion", &record.nccl);
  Ask("cuptiGetVersion", &record.cupti);
  if (memcmp(&record, &g_written_versions, sizeof(record)) == 0) return;
  g_written_versions = record;
  const trace::Piece none = trace::Piece::String("", 0);
  WriteRecord(trace::BlockKind::kDefinitions, record, none, none);
}

void Begin() {
  g_devices_written = false;
  g_passes = 0;
  g_written_versions = {};
}

void Pass() {
  if (!g_devices_written) g_devices_written = WriteDevices();
  if (g_passes++ % kPassesBetweenVersions == 0) WriteVersions();
}

}  // namespace

void CollectDeviceDefinitions() {
  AddParticipant({Begin, Pass, nullptr, [](uint64_t) { WriteVersions(); }});
}

}  // namespace dltap::shim
