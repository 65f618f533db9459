// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_SHAREABLE_HANDLE_H_
#define DLTAP_SIMGPU_BYTES_SHAREABLE_HANDLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "simgpu/bytes/memory_file.h"

namespace dltap::simgpu {

// What a POSIX file descriptor made by an export stands for.
struct ShareableRecord {
  uint32_t magic = 0;
  uint32_t slot = 0;
  uint64_t id = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  int32_t device = 0;
  int32_t exporter = 0;               // process id
  unsigned char properties[64] = {};  // the vendor's, of the creation
};

constexpr uint32_t kPhysicalRecord = 0x73696d50;
constexpr uint32_t kPoolRecord = 0x73696d4f;

// A descriptor that carries the record and the file, to whichever process it
// travels and for as long as it is open, the exporter's death included: a
// socket with one message in its queue. -1: the system refuses.
int MakeShareable(const ShareableRecord& record, const MemoryFile& file);

// Reads it, as often as wanted. Null: it is not such a descriptor, or its
// record has another magic.
std::shared_ptr<MemoryFile> ReadShareable(int descriptor, uint32_t magic,
                                          ShareableRecord* record);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_SHAREABLE_HANDLE_H_
