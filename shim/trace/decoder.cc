// SPDX-License-Identifier: Apache-2.0
#include "shim/trace/decoder.h"

#include "shim/trace/checksum.h"

namespace dltap::trace {
namespace {

constexpr uint64_t kAlignment = 8;

bool IsPlausible(const BlockHeader& header) {
  return header.magic == kBlockMagic &&
         header.payload_bytes <= kMaxBlockPayloadBytes &&
         header.payload_bytes % kAlignment == 0;
}

// Where the file's zero tail begins. Files grow in large steps ahead of their
// content, so that a writer that died leaves zeros behind.
uint64_t ZeroTail(Bytes file) {
  uint64_t end = file.size();
  uint64_t word = 0;
  while (end >= sizeof(word)) {
    std::memcpy(&word, &file[end - sizeof(word)], sizeof(word));
    if (word != 0) break;
    end -= sizeof(word);
  }
  while (end > 0 && file[end - 1] == 0) --end;
  return end;
}

}  // namespace

HeaderStatus ReadFileHeader(Bytes file, FileHeader* header) {
  const size_t magic = std::min(file.size(), sizeof(kFileMagic));
  if (file.empty() || std::memcmp(file.data(), kFileMagic, magic) != 0) {
    return HeaderStatus::kNotATrace;
  }
  if (file.size() < sizeof(FileHeader)) return HeaderStatus::kTooShort;
  std::memcpy(header, file.data(), sizeof(*header));
  // The version comes first: a newer one may sum its header otherwise.
  if (header->major_version > kMajorVersion) return HeaderStatus::kNewerMajor;
  if (header->checksum != Checksum(*header) ||
      header->header_bytes < sizeof(FileHeader) ||
      header->header_bytes % kAlignment != 0 || header->major_version == 0) {
    return HeaderStatus::kCorrupt;
  }
  if (header->header_bytes > file.size()) return HeaderStatus::kTooShort;
  return HeaderStatus::kOk;
}

BlockReader::BlockReader(Bytes file, uint64_t first_block)
    : file_(file),
      offset_(std::min<uint64_t>(first_block, file.size())),
      zero_tail_(ZeroTail(file)),
      checksum_budget_(4 * uint64_t{file.size()}) {}

bool BlockReader::ZeroFrom(uint64_t offset) { return offset >= zero_tail_; }

// A block is torn, not wrong, when its writer died in the middle: it reaches
// beyond the end of what was written, or its own end is still zeros.
BlockReader::Candidate BlockReader::TryAt(uint64_t offset, Block* block) {
  const uint64_t left = file_.size() - offset;
  BlockHeader header = {};
  std::memcpy(&header, &file_[offset],
              std::min<uint64_t>(left, sizeof(header)));
  if (left < sizeof(header)) {
    return std::memcmp(&header.magic, &kBlockMagic,
                       std::min<uint64_t>(left, sizeof(header.magic))) == 0
               ? Candidate::kTorn
               : Candidate::kBad;
  }
  if (!IsPlausible(header)) {
    return ZeroFrom(offset + sizeof(header)) && left > sizeof(header)
               ? Candidate::kTorn
               : Candidate::kBad;
  }
  if (header.payload_bytes > left - sizeof(header)) return Candidate::kTorn;
  const Bytes payload =
      file_.subspan(offset + sizeof(header), header.payload_bytes);
  if (header.checksum != Checksum(header, payload.data())) {
    const uint64_t end = offset + sizeof(header) + payload.size();
    return end < file_.size() && ZeroFrom(end - 1) ? Candidate::kTorn
                                                   : Candidate::kBad;
  }
  *block = {header, payload, offset};
  return Candidate::kGood;
}

DecodeStatus BlockReader::Next(Block* block) {
  if (offset_ >= file_.size() || ZeroFrom(offset_)) {
    return DecodeStatus::kEndOfTrace;
  }
  switch (TryAt(offset_, block)) {
    case Candidate::kGood:
      offset_ += sizeof(BlockHeader) + block->payload.size();
      return DecodeStatus::kOk;
    case Candidate::kTorn: {
      // A wrong length looks like a torn block, unless a good one follows it.
      if (Resync()) return DecodeStatus::kCorrupt;
      return DecodeStatus::kTruncated;
    }
    case Candidate::kBad: Resync(); return DecodeStatus::kCorrupt;
  }
  return DecodeStatus::kEndOfTrace;
}

// Moves on to the next good block. Slots may hold the magic by accident, so
// only a checksum convinces; hostile files may hold it everywhere, so hashing
// has a budget.
bool BlockReader::Resync() {
  const uint64_t from = offset_;
  for (uint64_t at = offset_ + kAlignment;
       at + sizeof(BlockHeader) <= file_.size(); at += kAlignment) {
    BlockHeader header;
    std::memcpy(&header, &file_[at], sizeof(header));
    if (!IsPlausible(header)) continue;
    if (header.payload_bytes > file_.size() - at - sizeof(header)) continue;
    if (header.payload_bytes > checksum_budget_) break;
    checksum_budget_ -= header.payload_bytes;
    Block block;
    if (TryAt(at, &block) != Candidate::kGood) continue;
    offset_ = at;
    skipped_bytes_ += at - from;
    return true;
  }
  offset_ = file_.size();
  skipped_bytes_ += std::max(zero_tail_, from) - from;
  return false;
}

bool TailReader::Read(void* out, size_t bytes) {
  if (bytes > rest_.size()) return false;
  if (bytes > 0) std::memcpy(out, rest_.data(), bytes);
  rest_ = rest_.subspan(bytes);
  return true;
}

bool TailReader::String(std::string_view* out) {
  uint32_t bytes;
  if (rest_.size() < sizeof(bytes)) return false;
  std::memcpy(&bytes, rest_.data(), sizeof(bytes));
  if (bytes > rest_.size() - sizeof(bytes)) return false;
  const Bytes text = rest_.subspan(sizeof(bytes), bytes);
  *out = {reinterpret_cast<const char*>(text.data()), text.size()};
  rest_ = rest_.subspan(sizeof(bytes) + bytes);
  return true;
}

}  // namespace dltap::trace
