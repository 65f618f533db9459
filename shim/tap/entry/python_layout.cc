// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/python_layout.h"

namespace dltap::shim {
namespace {

constexpr PythonLayout kLayouts[] = {
    {3, 10, -1,  24,  176, true, 32, 24, 96, -1, 352,
     0, 0,  104, 112, -1,  120,  40, -1, 48, 72},
    {3, 11, 56,  8,   160, false, 32, 48,  56, 69, 72,
     2, 0,  112, 120, 128, 136,   72, 184, 48, 72},
    {3, 12, 56,  0,   144, false, 0,  8,   56, 70, 72,
     3, 0,  112, 120, 128, 136,   68, 192, 40, 56},
    {3, 13, -1,  72,  160, false, 0,  8,   56, 70, 72,
     3, 0,  112, 120, 128, 136,   68, 200, 40, 56},
    {3, 14, -1,  72,  160, false, 0,  8,   56, 74, 80,
     4, 1,  112, 120, 128, 136,   68, 208, 40, 56},
};

// The bytes of a line table, one after the other; zeros when they have ended.
class TableBytes {
 public:
  TableBytes(MemoryView& memory, uintptr_t bytes_object) : memory_(memory) {
    uint64_t size = 0;
    // A look from outside may find anything there; and 64 KiB are some 7,000
    // lines.
    constexpr uint64_t kMostBytes = 64 << 10;
    if (bytes_object != 0 && memory.Load(bytes_object + kPythonSize, &size) &&
        size <= kMostBytes) {
      at_ = bytes_object + kPythonBytes;
      end_ = at_ + size;
    }
  }
  bool AtEnd() const { return at_ >= end_; }
  uint8_t Next() {
    if (AtEnd() || (next_ == count_ && !Refill())) {
      end_ = at_;
      return 0;
    }
    ++at_;
    return bytes_[next_++];
  }
  // Six bits a byte, the least first (Objects/locations.md).
  uint32_t Number() {
    uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 6) {
      const uint8_t byte = Next();
      value |= (byte & 63u) << shift;
      if ((byte & 64) == 0) break;
    }
    return value;
  }
  int32_t SignedNumber() {
    const uint32_t value = Number();
    const auto half = static_cast<int32_t>(value >> 1);
    return (value & 1) != 0 ? -half : half;
  }

 private:
  bool Refill() {
    const uint64_t left = end_ - at_;
    next_ = 0;
    count_ = left < sizeof(bytes_) ? left : sizeof(bytes_);
    return memory_.Read(at_, bytes_, count_);
  }

  MemoryView& memory_;
  uintptr_t at_ = 0;
  uintptr_t end_ = 0;
  uint8_t bytes_[64];
  uint64_t next_ = 0;
  uint64_t count_ = 0;
};

// Pairs of bytes (Objects/lnotab_notes.txt): code bytes, lines before them.
uint32_t LineByPairs(TableBytes table, int32_t line, uint64_t offset) {
  constexpr int8_t kNoLine = -128;
  uint64_t at = 0;
  while (!table.AtEnd()) {
    const uint8_t bytes = table.Next();
    const auto lines = static_cast<int8_t>(table.Next());
    if (lines != kNoLine) line += lines;
    at += bytes;
    if (offset < at) return lines == kNoLine ? 0 : static_cast<uint32_t>(line);
  }
  return 0;
}

// Entries of a first byte 1cccclll, the code c and the length l, and what the
// code says follows (Objects/locations.md).
uint32_t LineByLocations(TableBytes table, int32_t line, uint64_t offset) {
  uint64_t at = 0;
  while (!table.AtEnd()) {
    const uint8_t first = table.Next();
    const unsigned code = first >> 3 & 15;
    if (code == 14) {
      line += table.SignedNumber();
      for (int i = 0; i < 3; ++i) table.Number();
    } else if (code == 13) {
      line += table.SignedNumber();
    } else if (code >= 10 && code <= 12) {
      line += static_cast<int32_t>(code - 10);
      table.Next();
      table.Next();
    } else if (code < 10) {
      table.Next();
    }
    at += 2 * ((first & 7u) + 1);
    if (offset < at) return code == 15 ? 0 : static_cast<uint32_t>(line);
  }
  return 0;
}

// Appends a character as UTF-8. False: no room. A surrogate, which stands for a
// byte of a file's name that is no UTF-8, has none.
bool PutCharacter(uint32_t c, char* out, uint32_t most, uint32_t* used) {
  constexpr uint32_t kReplacement = 0xFFFD;
  if ((c >= 0xD800 && c < 0xE000) || c > 0x10FFFF) c = kReplacement;
  const uint32_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (*used + bytes > most) return false;
  constexpr uint32_t kLead[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
  for (uint32_t i = bytes; i-- > 1; c >>= 6) {
    out[*used + i] = static_cast<char>(0x80 | (c & 0x3F));
  }
  out[*used] = static_cast<char>(kLead[bytes] | c);
  *used += bytes;
  return true;
}

}  // namespace

const PythonLayout* LayoutOfPython(int major, int minor) {
  for (const PythonLayout& layout : kLayouts) {
    if (layout.major == major && layout.minor == minor) return &layout;
  }
  return nullptr;
}

uint32_t LineOf(MemoryView& memory, const PythonLayout& layout, uintptr_t code,
                uintptr_t instruction) {
  uintptr_t table = 0;
  int32_t first_line = 0;
  if (!memory.Load(code + static_cast<uintptr_t>(layout.line_table), &table) ||
      !memory.Load(code + static_cast<uintptr_t>(layout.first_line),
                   &first_line)) {
    return 0;
  }
  if (layout.bytecode < 0) {
    return LineByPairs(TableBytes(memory, table), first_line, 2 * instruction);
  }
  const uintptr_t begin = code + static_cast<uintptr_t>(layout.bytecode);
  if (instruction < begin) return 0;
  return LineByLocations(TableBytes(memory, table), first_line,
                         instruction - begin);
}

PythonText TextOf(const PythonLayout& layout, uintptr_t object, uint64_t length,
                  uint32_t state) {
  constexpr uint32_t kCompact = 1 << 5, kAscii = 1 << 6;
  const uint32_t width = state >> 2 & 7;
  if ((state & kCompact) == 0 || (width != 1 && width != 2 && width != 4)) {
    return {};
  }
  const bool is_ascii = (state & kAscii) != 0;
  const int16_t header = is_ascii ? layout.ascii_bytes : layout.compact_bytes;
  const uint32_t utf8_width = is_ascii ? 1 : width == 4 ? 4 : width + 1;
  return {object + static_cast<uintptr_t>(header), length, width, utf8_width};
}

PythonText PythonText::End(uint64_t bytes) const {
  const uint64_t most = utf8_width != 0 ? bytes / utf8_width : 0;
  if (length <= most) return *this;
  return {at + (length - most) * width, most, width, utf8_width};
}

bool LoadPythonText(MemoryView& memory, const PythonLayout& layout,
                    uintptr_t object, PythonText* text) {
  uint64_t length = 0;
  uint32_t state = 0;
  if (object == 0 || !memory.Load(object + kPythonTextLength, &length) ||
      !memory.Load(object + kPythonTextState, &state)) {
    return false;
  }
  *text = TextOf(layout, object, length, state);
  return true;
}

uint32_t ReadPythonText(MemoryView& memory, const PythonText& text, char* out,
                        uint32_t most) {
  uint32_t used = 0;
  for (uint64_t i = 0; i < text.length; ++i) {
    uint32_t character = 0;
    if (!memory.Read(text.at + i * text.width, &character, text.width) ||
        !PutCharacter(character, out, most, &used)) {
      break;
    }
  }
  return used;
}

}  // namespace dltap::shim
