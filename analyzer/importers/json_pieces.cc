// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/json_pieces.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/importers/byte_order_mark.h"
#include "simdjson.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dltap::analyzer {
namespace {

constexpr size_t kWindowBytes = size_t{1} << 18;

bool IsSpace(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

#if defined(__SSE2__)
constexpr size_t kBlock = 64;

struct BlockMasks {
  uint64_t quotes = 0;
  uint64_t backslashes = 0;
  uint64_t opens = 0;   // { [
  uint64_t closes = 0;  // } ]
  uint64_t newlines = 0;
};

BlockMasks MasksOf(const char* at) {
  BlockMasks masks;
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
    // '[' and '{', ']' and '}' differ in one bit.
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    const auto equal = [i](__m128i value, char c) {
      const int mask =
          _mm_movemask_epi8(_mm_cmpeq_epi8(value, _mm_set1_epi8(c)));
      return static_cast<uint64_t>(mask) << (16 * i);
    };
    masks.quotes |= equal(bytes, '"');
    masks.backslashes |= equal(bytes, '\\');
    masks.opens |= equal(folded, '{');
    masks.closes |= equal(folded, '}');
    masks.newlines |= equal(bytes, '\n');
  }
  return masks;
}

// Bit i: the parity of bits 0 to i.
uint64_t PrefixXor(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}
#endif

// What a string stands for, given without its quotes.
std::string Unescaped(const std::string& text) {
  if (text.find('\\') == std::string::npos) return text;
  const simdjson::padded_string json("\"" + text + "\"");
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  std::string_view value;
  if (parser.iterate(json).get(document) != simdjson::SUCCESS ||
      document.get_string().get(value) != simdjson::SUCCESS) {
    return text;
  }
  return std::string(value);
}

}  // namespace

void JsonPieces::Closer::operator()(gzFile_s* file) const { gzclose(file); }

absl::StatusOr<JsonPieces> JsonPieces::Open(const std::string& path) {
  JsonPieces pieces;
  pieces.file_.reset(gzopen(path.c_str(), "rb"));
  if (pieces.file_ == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  gzbuffer(pieces.file_.get(), kWindowBytes / 4);  // no copy of its own
  std::error_code error;
  pieces.file_bytes_ = std::filesystem::file_size(path, error);
  if (error) pieces.file_bytes_ = 0;
  pieces.buffer_.resize(kWindowBytes + kPadding);
  return pieces;
}

double JsonPieces::part() const {
  if (file_bytes_ == 0) return 0;
  return static_cast<double>(gzoffset(file_.get())) /
         static_cast<double>(file_bytes_);
}

bool JsonPieces::Fill() {
  if (at_end_) return false;
  if (filled_ + kPadding >= buffer_.size()) {
    buffer_.resize(2 * buffer_.size());
  }
  const size_t room =
      std::min<size_t>(buffer_.size() - kPadding - filled_, 1 << 30);
  const int got = gzread(file_.get(), buffer_.data() + filled_,
                         static_cast<unsigned>(room));
  int code = Z_OK;
  const char* message = gzerror(file_.get(), &code);
  if (got < 0) damage_ = absl::StrCat("damaged gzip data (", message, ")");
  // zlib says that a member breaks off only after its last bytes.
  if (got == 0 && code == Z_BUF_ERROR) damage_ = "gzip data ends early";
  at_end_ = got <= 0;
  if (got > 0) filled_ += static_cast<size_t>(got);
  std::memset(buffer_.data() + filled_, 0, kPadding);
  if (progress_ != nullptr && *progress_ && file_bytes_ > 0) {
    (*progress_)(part());
  }
  return got > 0;
}

void JsonPieces::Drop(size_t bytes) {
  std::memmove(buffer_.data(), buffer_.data() + bytes, filled_ - bytes);
  filled_ -= bytes;
  base_ += bytes;
}

int JsonPieces::Get() {
  if (at_ == filled_) {
    Drop(at_);
    at_ = 0;
    if (!Fill()) return -1;
  }
  return static_cast<unsigned char>(buffer_[at_++]);
}

int JsonPieces::Skip() {
  int c = Get();
  while (IsSpace(c)) c = Get();
  if (c >= 0) --at_;
  return c;
}

// After the opening quote; without it. Escapes stay as they are.
bool JsonPieces::ReadString(std::string& text) {
  text.clear();
  for (int c = Get(); c != '"'; c = Get()) {
    if (c < 0) return false;
    if (text.size() < kMaxMemberBytes) text += static_cast<char>(c);
    if (c == '\\') {
      c = Get();
      if (c < 0) return false;
      if (text.size() < kMaxMemberBytes) text += static_cast<char>(c);
    }
  }
  return true;
}

bool JsonPieces::ReadMember(std::string& value) {
  value.clear();
  bool in_string = false;
  bool is_long = false;
  for (int depth = 0;;) {
    const int c = Get();
    if (c < 0) return false;
    if (!in_string && depth == 0 && (c == ',' || c == '}')) {
      --at_;
      if (is_long) value.clear();
      return true;
    }
    is_long |= value.size() >= kMaxMemberBytes;
    if (!is_long) value += static_cast<char>(c);
    if (in_string && c == '\\') {
      const int escaped = Get();
      if (escaped < 0) return false;
      if (!is_long) value += static_cast<char>(escaped);
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    }
  }
}

absl::Status JsonPieces::Read(std::string_view array_key,
                              const Visitor& visitor,
                              const std::function<void(double)>& progress) {
  progress_ = &progress;
  Fill();
  if (std::string_view(buffer_.data(), filled_).starts_with(kByteOrderMark)) {
    at_ = kByteOrderMark.size();
  }
  const int first = Skip();
  bool whole = false;
  if (first == '[') {
    is_bare_array_ = true;
    ++at_;
    whole = ReadArray(visitor);
  } else if (first == '{') {
    ++at_;
    whole = ReadTop(array_key, visitor);
  } else {
    return absl::InvalidArgumentError("neither a JSON object nor an array");
  }
  if (!whole && end_ == End::kWhole) end_ = End::kOutside;
  if (whole && !damage_.empty()) end_ = End::kOutside;
  return absl::OkStatus();
}

bool JsonPieces::ReadTop(std::string_view array_key, const Visitor& visitor) {
  std::string key, value;
  while (true) {
    int c = Skip();
    if (c == ',') ++at_, c = Skip();
    if (c == '}') return true;
    if (c != '"') return false;
    ++at_;
    if (!ReadString(key) || Skip() != ':') return false;
    ++at_;
    key = Unescaped(key);
    c = Skip();
    if (key == array_key && c == '[') {
      ++at_;
      if (!ReadArray(visitor)) return false;
    } else {
      if (!ReadMember(value)) return false;
      visitor.member(key, value);
    }
  }
}

bool JsonPieces::ReadArray(const Visitor& visitor) {
  has_array_ = true;
  // The byte before the first element is the array's own bracket.
  Drop(at_ - 1);
  at_ = 0;
  scan_ = {.at = 1, .begin = 1, .gap = 1};
  while (true) {
    found_.clear();
    ScanArray();
    Deliver(visitor);
    if (scan_.closed) {
      at_ = scan_.at;
      return true;
    }
    // One byte stays before what is left, for the next batch's bracket.
    const size_t keep = (scan_.depth > 0 ? scan_.begin : scan_.gap) - 1;
    if (scan_.depth > 0) scan_.gap = scan_.begin;
    Drop(keep);
    scan_.at -= keep, scan_.begin -= std::min(keep, scan_.begin),
        scan_.gap -= keep;
    if (filled_ > kMaxElementBytes) damage_ = "an element of 256 MiB or more";
    if (filled_ > kMaxElementBytes || !Fill()) break;
  }
  at_ = filled_;
  end_ = End::kInsideArray;
  return false;
}

void JsonPieces::CheckGap(size_t from, size_t to) {
  bool odd = false;
  for (size_t i = from; i < to; ++i) {
    const char c = buffer_[i];
    if (c == ',') {
      odd_elements_ += odd;
      odd = false;
    } else {
      odd |= !IsSpace(static_cast<unsigned char>(c));
    }
  }
  odd_elements_ += odd;
}

void JsonPieces::OpenAt(size_t at) {
  if (scan_.depth++ > 0) return;
  CheckGap(scan_.gap, at);
  scan_.begin = at;
}

void JsonPieces::CloseAt(size_t at) {
  if (scan_.depth == 0) {
    CheckGap(scan_.gap, at);
    scan_.closed = true;
    return;
  }
  if (--scan_.depth > 0) return;
  if (buffer_[scan_.begin] == '{') {
    found_.emplace_back(scan_.begin, at + 1);
  } else {
    ++odd_elements_;
  }
  scan_.gap = at + 1;
  whole_until_ = base_ + at + 1;
}

void JsonPieces::ScanByte(char c) {
  const size_t at = scan_.at++;
  if (scan_.line_begins && !IsSpace(static_cast<unsigned char>(c))) {
    scan_.line_begins = false;
    // A quote inside a name, as PyTorch 2.11 writes some, made a string of what
    // is behind it.
    constexpr std::string_view kOfJson = "\"{}[]";
    if (kOfJson.find(c) != std::string_view::npos) scan_.in_string = false;
  }
  if (scan_.escaped) {
    scan_.escaped = false;
  } else if (scan_.in_string) {
    scan_.escaped = c == '\\';
    if (c == '"') scan_.in_string = false;
    scan_.line_begins |= c == '\n';
  } else if (c == '"') {
    scan_.in_string = true;
  } else if (c == '{' || c == '[') {
    OpenAt(at);
  } else if (c == '}' || c == ']') {
    CloseAt(at);
  }
}

void JsonPieces::ScanArray() {
#if defined(__SSE2__)
  while (scan_.at + kBlock <= filled_ && !scan_.closed) {
    const BlockMasks masks = MasksOf(buffer_.data() + scan_.at);
    const uint64_t in_string =
        PrefixXor(masks.quotes) ^ (scan_.in_string ? ~uint64_t{0} : 0);
    if (masks.backslashes != 0 || scan_.escaped || scan_.line_begins ||
        (masks.newlines & in_string) != 0) {
      const size_t end = scan_.at + kBlock;
      while (scan_.at < end && !scan_.closed) ScanByte(buffer_[scan_.at]);
      continue;
    }
    const size_t block = scan_.at;
    uint64_t brackets = (masks.opens | masks.closes) & ~in_string;
    for (; brackets != 0 && !scan_.closed; brackets &= brackets - 1) {
      const int bit = std::countr_zero(brackets);
      const bool opens = ((masks.opens >> bit) & 1) != 0;
      scan_.at = block + static_cast<size_t>(bit) + 1;
      opens ? OpenAt(scan_.at - 1) : CloseAt(scan_.at - 1);
    }
    if (scan_.closed) return;
    scan_.at = block + kBlock;
    scan_.in_string = (in_string >> 63) != 0;
  }
#endif
  while (scan_.at < filled_ && !scan_.closed) ScanByte(buffer_[scan_.at]);
}

void JsonPieces::Deliver(const Visitor& visitor) {
  if (found_.empty()) return;
  elements_.clear();
  for (const auto& [begin, end] : found_) {
    elements_.emplace_back(buffer_.data() + begin, end - begin);
  }
  // Objects alone make an array only where nothing else stands between them.
  char& open = buffer_[found_.front().first - 1];
  char& close = buffer_[found_.back().second];
  const char opened = std::exchange(open, '[');
  const char closed = std::exchange(close, ']');
  visitor.batch({&open, static_cast<size_t>(&close - &open) + 1}, elements_);
  open = opened;
  close = closed;
}

}  // namespace dltap::analyzer
