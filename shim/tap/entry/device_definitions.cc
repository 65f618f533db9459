// SPDX-License-Identifier: Apache-2.0
// Defines the devices and library versions of the process in the trace, as soon
// as the driver can be asked. Collector only.
#include <cuda.h>
#include <library_types.h>

#include <cstring>

#include "shim/tap/entry/real_functions.h"
#include "shim/tap/runtime/collector.h"
#include "shim/tap/runtime/real_symbol.h"
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

uint32_t Attribute(CUdevice device, CUdevice_attribute attribute) {
  int value = 0;
  Ask("cuDeviceGetAttribute", &value, attribute, device);
  return static_cast<uint32_t>(value);
}

void WriteDevice(int ordinal) {
  CUdevice device = 0;
  if (!Ask("cuDeviceGet", &device, ordinal)) return;
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
  size_t memory_bytes = 0;
  Ask("cuDeviceTotalMem_v2", &memory_bytes, device);
  record.memory_bytes = memory_bytes;
  CUuuid uuid{};
  if (Ask("cuDeviceGetUuid_v2", &uuid, device) ||
      Ask("cuDeviceGetUuid", &uuid, device)) {
    memcpy(record.uuid, uuid.bytes, sizeof(record.uuid));
  }
  char name[128] = {};
  Ask("cuDeviceGetName", &name[0], static_cast<int>(sizeof(name) - 1), device);
  WriteRecord(trace::BlockKind::kDefinitions, record,
              trace::Piece::String(name, strlen(name)));
}

// False until the driver is initialized, which is never our doing.
bool WriteDevices() {
  int count = 0;
  if (!Ask("cuDeviceGetCount", &count)) return false;
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

[[gnu::constructor]] void ConnectDevices() {
  AddParticipant({Begin, Pass, nullptr, [](uint64_t) { WriteVersions(); }});
}

}  // namespace
}  // namespace dltap::shim
