// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/sparse_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "simgpu/bytes/address_map.h"
#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/bytes/memory_file.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kWorthwhileBytes = 1 << 16;

// The part of a range, from its beginning, that lies in one piece of a file.
struct FilePiece {
  MemoryFile* file;
  uint64_t offset;
  size_t bytes;
};

std::optional<FilePiece> PieceAt(const std::byte* address, size_t bytes) {
  const auto allocation = FindAllocation(address);
  if (!allocation || allocation->file == nullptr) return std::nullopt;
  const uintptr_t inside =
      reinterpret_cast<uintptr_t>(address) - allocation->base;
  return FilePiece{allocation->file, allocation->file_offset + inside,
                   std::min(bytes, allocation->bytes - inside)};
}

// Offsets and addresses agree modulo the page size.
void ZeroPiece(std::byte* address, const FilePiece& piece) {
  const uint64_t end = piece.offset + piece.bytes;
  const uint64_t first_page = RoundToPages(piece.offset);
  const uint64_t last_page = end / RoundToPages(1) * RoundToPages(1);
  if (piece.bytes < kWorthwhileBytes) {
    std::memset(address, 0, piece.bytes);
    return;
  }
  std::memset(address, 0, first_page - piece.offset);
  piece.file->Discard(first_page, last_page - first_page);
  std::memset(address + (last_page - piece.offset), 0, end - last_page);
}

void MovePiece(std::byte* destination, const std::byte* source,
               const FilePiece& piece) {
  const uint64_t end = piece.offset + piece.bytes;
  for (uint64_t at = piece.offset; at < end;) {
    uint64_t until = end;
    const bool hole = piece.file->IsHole(at, end, &until);
    const uint64_t done = at - piece.offset;
    if (hole) {
      ZeroBytes(destination + done, until - at);
    } else {
      std::memcpy(destination + done, source + done, until - at);
    }
    at = until;
  }
}

}  // namespace

void ZeroBytes(std::byte* address, size_t bytes) {
  while (bytes >= kWorthwhileBytes) {
    const auto piece = PieceAt(address, bytes);
    if (!piece) break;
    ZeroPiece(address, *piece);
    address += piece->bytes;
    bytes -= piece->bytes;
  }
  std::memset(address, 0, bytes);
}

void MoveBytes(std::byte* destination, const std::byte* source, size_t bytes) {
  const bool apart =
      destination + bytes <= source || source + bytes <= destination;
  while (apart && bytes >= kWorthwhileBytes) {
    const auto piece = PieceAt(source, bytes);
    if (!piece) break;
    MovePiece(destination, source, *piece);
    destination += piece->bytes;
    source += piece->bytes;
    bytes -= piece->bytes;
  }
  std::memmove(destination, source, bytes);
}

}  // namespace dltap::simgpu
