// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/ring_place.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "shim/tap/runtime/files.h"
#include "shim/tap/runtime/ring_leftovers.h"

namespace dltap::shim {
namespace {

// After an exec the name may be that of the ring of the program before.
int CreateInSharedMemory(RingFile* ring, const trace::FileHeader& header,
                         const char* data_file, const char* data_path) {
  if (!RingFile::SharedMemoryHasRoom()) return ENOSPC;
  char path[kMaxRingPathBytes];
  snprintf(path, sizeof(path), "%s/dltap-%s.ring", kSharedMemory, data_file);
  const int error = ring->Create(path, header, data_path);
  if (error != EEXIST || !MoveLeftoverRing(path)) return error;
  return ring->Create(path, header, data_path);
}

}  // namespace

int CreateRing(RingFile* ring, const trace::FileHeader& header, int dir_fd,
               const char* directory, const char* data_file) {
  char real[PATH_MAX];
  const char* folder = realpath(directory, real) ? real : directory;
  char data_path[sizeof(trace::RingFileHeader::data_file)];
  const int length =
      snprintf(data_path, sizeof(data_path), "%s/%s", folder, data_file);
  // Else nobody could tell where the ring of a killed process belongs.
  const bool is_told =
      length < static_cast<int>(sizeof(data_path)) && data_path[0] == '/';
  if (!is_told) snprintf(data_path, sizeof(data_path), "%s", data_file);
  const bool is_network = IsNetworkFileSystem(dir_fd);
  int error = ENOTSUP;
  if (is_told || is_network) {
    error = CreateInSharedMemory(ring, header, data_file, data_path);
  }
  if (error == 0 || is_network) return error;
  char path[kMaxRingPathBytes];
  snprintf(path, sizeof(path), "%s/%s.ring", folder, data_file);
  return ring->Create(path, header, data_path);
}

}  // namespace dltap::shim
