// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/device_definitions.h"

#include <cuda.h>

#include <cstring>

#include "shim/tap/entry/vendor_query.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

constinit bool g_devices_written = false;

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
  const bool has_driver = FindNoted("cuDeviceGetCount") != nullptr;
  if (!Ask(has_driver ? "cuDeviceGetCount" : "cudaGetDeviceCount", &count)) {
    return false;
  }
  for (int i = 0; i < count; ++i) WriteDevice(i);
  return true;
}

void Begin() { g_devices_written = false; }

void Pass() {
  if (!g_devices_written) g_devices_written = WriteDevices();
}

}  // namespace

void CollectDeviceDefinitions() {
  AddParticipant({Begin, Pass, nullptr, nullptr});
}

}  // namespace dltap::shim
