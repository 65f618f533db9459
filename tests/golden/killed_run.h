// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_GOLDEN_KILLED_RUN_H_
#define DLTAP_TESTS_GOLDEN_KILLED_RUN_H_

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/trace_bytes.h"

// What golden traces of killed processes hold beside their data files: a ring
// file with one ring of eight slots.
namespace dltap::trace {

template <typename T>
void Store(std::vector<uint8_t>& bytes, uint64_t at, const T& value) {
  std::memcpy(&bytes[at], &value, sizeof(value));
}

inline RingFileHeader KilledRingFile() {
  RingFileHeader header = {};
  header.file.pid = 42;
  header.file.clock = static_cast<uint8_t>(ClockKind::kTsc);
  Seal(header.file, FileKind::kRing);
  header.ring_count = 1;
  header.ring_header_bytes = sizeof(RingHeader);
  header.rings_offset = sizeof(RingFileHeader);
  return header;
}

// Slots [tail, head) lie in it, from `data_offset` on.
inline RingHeader RingInUse(uint64_t tail, uint64_t head,
                            uint64_t data_offset) {
  RingHeader ring = {};
  ring.tail = tail;
  ring.head = head;
  ring.data_offset = data_offset;
  ring.capacity_slots = 8;
  ring.state = static_cast<uint32_t>(RingState::kInUse);
  return ring;
}

inline void WriteFile(const std::string& path,
                      const std::vector<uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace dltap::trace

#endif  // DLTAP_TESTS_GOLDEN_KILLED_RUN_H_
