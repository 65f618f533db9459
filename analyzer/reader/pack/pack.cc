// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/pack/pack.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "analyzer/reader/mapped_file.h"
#include "analyzer/reader/pack/row_codec.h"

namespace dltap::analyzer {
namespace {

constexpr char kMagic[8] = {'D', 'L', 'T', 'A', 'P', 'P', 'K', 1};
constexpr int kLevel = 12;
constexpr int kWindowLog = 24;  // memory of both sides: 16 MiB
constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr size_t kMaxUnitBytes = size_t{32} << 20;
constexpr uint32_t kMaxFiles = 1 << 20;
constexpr uint32_t kMaxNameBytes = 255;
// No trace is a thousandth of its size, but rings that nobody used are zeros.
constexpr uint64_t kMaxRatio = 1000;
constexpr uint64_t kFreeBytes = uint64_t{256} << 20;

struct PackHeader {
  char magic[8];
  uint32_t files;
  uint32_t reserved;
};
struct MemberHeader {
  uint32_t name_bytes;
  uint32_t reserved;
  uint64_t size;
  uint64_t checksum;
  uint64_t packed_bytes;
};
struct UnitHeader {
  uint32_t raw_bytes;
  uint32_t bytes;
};
constexpr size_t kUnitHeaderBytes = 1 + sizeof(UnitHeader);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;
struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

absl::Status SystemError(const std::string& path) {
  return absl::PermissionDeniedError(path + ": " + std::strerror(errno));
}

class FileError {
 public:
  explicit FileError(std::string path) : path_(std::move(path)) {}
  absl::Status At(const std::string& what, long at) const {
    return absl::DataLossError(path_ + ": " + what + " at byte " +
                               std::to_string(at));
  }

 private:
  std::string path_;
};

// One file's units into one frame of the pack.
class FrameWriter {
 public:
  explicit FrameWriter(std::FILE* out)
      : out_(out), context_(ZSTD_createCCtx()), buffer_(ZSTD_CStreamOutSize()) {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, kWindowLog);
  }

  bool PutUnit(uint8_t kind, size_t raw_bytes, std::string_view bytes) {
    const UnitHeader header = {static_cast<uint32_t>(raw_bytes),
                               static_cast<uint32_t>(bytes.size())};
    std::string head(1, static_cast<char>(kind));
    head.append(reinterpret_cast<const char*>(&header), sizeof(header));
    return Put(head, ZSTD_e_continue) && Put(bytes, ZSTD_e_continue);
  }
  bool Finish() { return Put({}, ZSTD_e_end); }
  uint64_t written() const { return written_; }

 private:
  bool Put(std::string_view bytes, ZSTD_EndDirective end) {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer out = {buffer_.data(), buffer_.size(), 0};
      const size_t left = ZSTD_compressStream2(context_.get(), &out, &in, end);
      if (ZSTD_isError(left) != 0 ||
          std::fwrite(buffer_.data(), 1, out.pos, out_) != out.pos) {
        return false;
      }
      written_ += out.pos;
      if (end == ZSTD_e_end ? left == 0 : in.pos == in.size) return true;
    }
  }

  std::FILE* out_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
  std::vector<char> buffer_;
  uint64_t written_ = 0;
};

std::string_view AsText(trace::Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The payload of a block at `at` whose rows are worth it; empty: none.
trace::Bytes RowsAt(trace::Bytes file, size_t at, RowKind* kind) {
  trace::BlockHeader header;
  if (file.size() - at < sizeof(header)) return {};
  std::memcpy(&header, &file[at], sizeof(header));
  const auto block = static_cast<trace::BlockKind>(header.kind);
  if (header.magic != trace::kBlockMagic ||
      block == trace::BlockKind::kDefinitions ||  // mostly text
      header.payload_bytes > trace::kMaxBlockPayloadBytes ||
      header.payload_bytes > file.size() - at - sizeof(header)) {
    return {};
  }
  *kind =
      block == trace::BlockKind::kCalls ? RowKind::kCalls : RowKind::kRecords;
  return file.subspan(at + sizeof(header), header.payload_bytes);
}

bool PutUnits(const MappedFile& file, FrameWriter& frame) {
  const trace::Bytes bytes = file.bytes();
  RowCodec codec;
  PageReleaser pages;
  size_t plain_begin = 0;
  const auto put_plain = [&](size_t end) {
    for (; plain_begin < end;) {
      const size_t part = std::min(kPieceBytes, end - plain_begin);
      const auto piece = bytes.subspan(plain_begin, part);
      if (!frame.PutUnit(0, part, AsText(piece))) return false;
      plain_begin += part;
    }
    return true;
  };
  for (size_t at = 0; at < bytes.size();) {
    pages.Passed(file, plain_begin);
    RowKind kind;
    const trace::Bytes rows = RowsAt(bytes, at, &kind);
    std::string encoded;
    if (rows.empty() || !codec.Encode(kind, rows, encoded)) {
      at += sizeof(uint64_t);
      continue;
    }
    const size_t begin = static_cast<size_t>(rows.data() - bytes.data());
    if (!put_plain(begin) ||
        !frame.PutUnit(static_cast<uint8_t>(kind), rows.size(), encoded)) {
      return false;
    }
    at = plain_begin = begin + rows.size();
  }
  return put_plain(bytes.size());
}

absl::Status PackOne(const std::string& path, std::FILE* out) {
  absl::StatusOr<MappedFile> file = MappedFile::Map(path);
  if (!file.ok()) return file.status();
  const std::string name = std::filesystem::path(path).filename().string();
  MemberHeader header = {};
  header.name_bytes = static_cast<uint32_t>(name.size());
  header.size = file->bytes().size();
  header.checksum = XXH3_64bits(file->bytes().data(), file->bytes().size());
  const long at = std::ftell(out);
  FrameWriter frame(out);
  const bool written =
      std::fwrite(&header, sizeof(header), 1, out) == 1 &&
      std::fwrite(name.data(), 1, name.size(), out) == name.size() &&
      PutUnits(*file, frame) && frame.Finish();
  if (!written) return SystemError(path);
  header.packed_bytes = frame.written();
  if (std::fseek(out, at, SEEK_SET) != 0 ||
      std::fwrite(&header, sizeof(header), 1, out) != 1 ||
      std::fseek(out, 0, SEEK_END) != 0) {
    return SystemError(path);
  }
  return absl::OkStatus();
}

// One frame of a pack, as bytes that are taken in order.
class FrameReader {
 public:
  FrameReader(std::FILE* in, uint64_t packed_bytes)
      : in_(in),
        left_(packed_bytes),
        context_(ZSTD_createDCtx()),
        input_(ZSTD_DStreamInSize()) {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }

  // False: the frame is damaged or ends before.
  bool Take(size_t count, std::string& out) {
    out.clear();
    while (out.size() < count) {
      const size_t before = out.size();
      // In steps: a size that was made up costs no memory.
      const size_t step = std::min(count - before, kPieceBytes);
      out.resize(before + step);
      ZSTD_outBuffer target = {out.data() + before, step, 0};
      if (!Fill(target)) return false;
      out.resize(before + target.pos);
    }
    return true;
  }

  // Nothing may follow what was taken.
  bool AtEnd() {
    char byte;
    ZSTD_outBuffer target = {&byte, 1, 0};
    Fill(target);
    return target.pos == 0 && left_ == 0 && given_.pos == given_.size;
  }

 private:
  bool Fill(ZSTD_outBuffer& target) {
    while (target.pos < target.size) {
      if (given_.pos == given_.size && left_ > 0) {
        const size_t wanted = std::min<uint64_t>(left_, input_.size());
        const size_t got = std::fread(input_.data(), 1, wanted, in_);
        if (got == 0) return false;
        left_ -= got;
        given_ = {input_.data(), got, 0};
      }
      const size_t before_in = given_.pos;
      const size_t before_out = target.pos;
      const size_t result =
          ZSTD_decompressStream(context_.get(), &target, &given_);
      if (ZSTD_isError(result) != 0) return false;
      if (given_.pos == before_in && target.pos == before_out) return false;
    }
    return true;
  }

  std::FILE* in_;
  uint64_t left_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  std::vector<char> input_;
  ZSTD_inBuffer given_ = {nullptr, 0, 0};
};

// False: damaged. Otherwise the file's next bytes are in `out`.
bool TakeUnit(FrameReader& frame, RowCodec& codec, uint64_t left,
              std::vector<uint8_t>& out) {
  std::string bytes;
  if (!frame.Take(kUnitHeaderBytes, bytes)) return false;
  const auto kind = static_cast<uint8_t>(bytes[0]);
  UnitHeader header;
  std::memcpy(&header, &bytes[1], sizeof(header));
  if (header.raw_bytes == 0 || header.raw_bytes > left ||
      header.raw_bytes > trace::kMaxBlockPayloadBytes ||
      header.bytes > kMaxUnitBytes || !frame.Take(header.bytes, bytes)) {
    return false;
  }
  out.clear();
  switch (kind) {
    case 0:
      if (bytes.size() != header.raw_bytes) return false;
      out.assign(bytes.begin(), bytes.end());
      return true;
    case static_cast<uint8_t>(RowKind::kCalls):
    case static_cast<uint8_t>(RowKind::kRecords):
      return codec.Decode(static_cast<RowKind>(kind), bytes, header.raw_bytes,
                          out);
    default: return false;
  }
}

absl::Status UnpackOne(std::FILE* in, const MemberHeader& header,
                       const ByteSink& sink, const FileError& error) {
  const long begin = std::ftell(in);
  FrameReader frame(in, header.packed_bytes);
  RowCodec codec;
  XXH3_state_t hash;
  XXH3_64bits_reset(&hash);
  std::vector<uint8_t> bytes;
  for (uint64_t left = header.size; left > 0; left -= bytes.size()) {
    if (!TakeUnit(frame, codec, left, bytes)) {
      return error.At("damaged pack: the file in the frame", begin);
    }
    XXH3_64bits_update(&hash, bytes.data(), bytes.size());
    if (absl::Status status = sink(AsText(bytes)); !status.ok()) return status;
  }
  if (!frame.AtEnd()) return error.At("damaged pack: more in the frame", begin);
  if (XXH3_64bits_digest(&hash) != header.checksum) {
    return error.At("damaged pack: wrong checksum of the file", begin);
  }
  return absl::OkStatus();
}

bool IsPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

bool LooksLikePack(std::string_view head) {
  return head.starts_with(std::string_view(kMagic, sizeof(kMagic)));
}

absl::Status Pack(const std::vector<std::string>& files,
                  const std::string& target) {
  const File out(std::fopen(target.c_str(), "wbx"));
  if (out == nullptr) return SystemError(target);
  PackHeader header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.files = static_cast<uint32_t>(files.size());
  absl::Status status;
  if (std::fwrite(&header, sizeof(header), 1, out.get()) != 1) {
    status = SystemError(target);
  }
  for (const std::string& file : files) {
    if (status.ok()) status = PackOne(file, out.get());
  }
  if (status.ok() && std::fflush(out.get()) != 0) status = SystemError(target);
  if (!status.ok()) std::remove(target.c_str());
  return status;
}

absl::Status Unpack(const std::string& path, const SinkChooser& choose) {
  const File in(std::fopen(path.c_str(), "rb"));
  if (in == nullptr) return SystemError(path);
  const FileError error(path);
  std::error_code ignored;
  const uint64_t pack_bytes = std::filesystem::file_size(path, ignored);
  PackHeader header;
  if (std::fread(&header, sizeof(header), 1, in.get()) != 1 ||
      !LooksLikePack({header.magic, sizeof(header.magic)})) {
    return error.At("no pack of dltap's", 0);
  }
  if (header.files > kMaxFiles) return error.At("damaged pack: files", 8);
  uint64_t allowed = kFreeBytes + kMaxRatio * pack_bytes;
  for (uint32_t i = 0; i < header.files; ++i) {
    const long at = std::ftell(in.get());
    MemberHeader member;
    if (std::fread(&member, sizeof(member), 1, in.get()) != 1 ||
        member.name_bytes > kMaxNameBytes) {
      return error.At("damaged pack: cut off or no file", at);
    }
    std::string name(member.name_bytes, '\0');
    if (std::fread(name.data(), 1, name.size(), in.get()) != name.size() ||
        !IsPlainName(name) || member.packed_bytes > pack_bytes) {
      return error.At("damaged pack: cut off or no file", at);
    }
    if (member.size > allowed) {
      return error.At(
          "refused: the pack claims to hold more than a trace of "
          "its size can, in the file",
          at);
    }
    allowed -= member.size;
    const absl::StatusOr<ByteSink> sink = choose({name, member.size});
    if (!sink.ok()) return sink.status();
    const long begin = std::ftell(in.get());
    if (*sink) {
      const absl::Status status = UnpackOne(in.get(), member, *sink, error);
      if (!status.ok()) return status;
    }
    std::fseek(in.get(), begin + static_cast<long>(member.packed_bytes),
               SEEK_SET);
  }
  return absl::OkStatus();
}

}  // namespace dltap::analyzer
