// SPDX-License-Identifier: Apache-2.0
// A CUPTI that observes nothing, and that dlclose() unmaps, as the vendor's:
// the simulated one stays for ever.
#include <stddef.h>
#include <stdint.h>

enum { kSuccess = 0, kMaxLimitReached = 12, kVersion = 130001 };

int cuptiGetVersion(uint32_t* version) {
  *version = kVersion;
  return kSuccess;
}

int cuptiGetTimestamp(uint64_t* ns) {
  static uint64_t now = 0;
  *ns = now += 1000;
  return kSuccess;
}

int cuptiActivityRegisterCallbacks(void* requested, void* completed) {
  (void)requested;
  (void)completed;
  return kSuccess;
}

int cuptiActivityEnable(int kind) {
  (void)kind;
  return kSuccess;
}

int cuptiActivityDisable(int kind) {
  (void)kind;
  return kSuccess;
}

int cuptiActivityEnableRuntimeApi(uint32_t id, uint8_t enable) {
  (void)id;
  (void)enable;
  return kSuccess;
}

int cuptiActivityEnableDriverApi(uint32_t id, uint8_t enable) {
  (void)id;
  (void)enable;
  return kSuccess;
}

int cuptiActivityFlushAll(uint32_t flag) {
  (void)flag;
  return kSuccess;
}

int cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes, void** record) {
  (void)buffer;
  (void)bytes;
  (void)record;
  return kMaxLimitReached;
}

int cuptiActivityGetNumDroppedRecords(void* context, uint32_t stream,
                                      size_t* dropped) {
  (void)context;
  (void)stream;
  *dropped = 0;
  return kSuccess;
}

int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id) {
  (void)kind;
  (void)id;
  return kSuccess;
}

int cuptiActivityPopExternalCorrelationId(int kind, uint64_t* id) {
  (void)kind;
  *id = 0;
  return kSuccess;
}
