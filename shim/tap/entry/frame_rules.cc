// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/frame_rules.h"

#include "shim/tap/entry/byte_cursor.h"
#include "shim/tap/entry/frame_program.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kReturn = 16;                // x86-64's return address
constexpr uint32_t kMostEntryBytes = 64 << 10;  // of a CIE or an FDE

// A pointer as DW_EH_PE says; only what compilers write for x86-64.
uintptr_t Encoded(ByteCursor& in, uint8_t encoding, bool* ok) {
  const uintptr_t here = in.at();
  uintptr_t value = 0;
  switch (encoding & 0x0F) {
    case 0x00:
    case 0x04:
    case 0x0C: value = in.Fixed<uint64_t>(); break;
    case 0x03: value = in.Fixed<uint32_t>(); break;
    case 0x0B:
      value = static_cast<uintptr_t>(int64_t{in.Fixed<int32_t>()});
      break;
    default: *ok = false;
  }
  const uint8_t base = encoding & 0x70;
  if (base != 0x00 && base != 0x10) *ok = false;
  return base == 0x10 ? here + value : value;
}

bool Augment(ByteCursor& in, const uint8_t (&names)[8], Cie* cie) {
  bool ok = true;
  for (int i = 1; names[i] != 0; ++i) {
    switch (names[i]) {
      case 'R': cie->pointer_encoding = in.Fixed<uint8_t>(); break;
      case 'L': in.Fixed<uint8_t>(); break;
      case 'P': {
        const auto encoding = in.Fixed<uint8_t>();
        Encoded(in, encoding & 0x7F, &ok);
        break;
      }
      case 'S': cie->is_signal = true; break;
      case 'B': break;
      default: return false;
    }
  }
  return ok;
}

bool ReadCie(MemoryView& memory, uintptr_t at, uintptr_t limit, Cie* cie) {
  ByteCursor in(memory, at, limit);
  const auto bytes = in.Fixed<uint32_t>();
  if (bytes > kMostEntryBytes) return false;
  in = in.Part(bytes);
  if (in.Fixed<uint32_t>() != 0) return false;
  const auto version = in.Fixed<uint8_t>();
  if (version != 1 && version != 3) return false;
  uint8_t names[8] = {};
  for (int i = 0; (names[i] = in.Fixed<uint8_t>()) != 0; ++i) {
    if (i + 1 == sizeof(names)) return false;
  }
  cie->code_align = in.Unsigned();
  cie->data_align = in.Signed();
  const uint64_t column = version == 1 ? in.Fixed<uint8_t>() : in.Unsigned();
  if (column != kReturn) return false;
  if (names[0] == 'z') {
    cie->has_augmentation = true;
    ByteCursor augmentation = in.Part(in.Unsigned());
    if (!Augment(augmentation, names, cie)) return false;
  } else if (names[0] != 0) {
    return false;
  }
  cie->program = in;
  return in.ok();
}

// The entry of the sorted table of .eh_frame_hdr that may hold `pc`.
bool FindFde(MemoryView& memory, const UnwindTable& table, uintptr_t pc,
             uintptr_t* fde) {
  struct {
    uint8_t version, pointer, count_encoding, table_encoding;
    int32_t frames;
    uint32_t count;
  } header;
  static_assert(sizeof(header) == 12);
  struct Entry {
    int32_t begin, fde;
  };
  constexpr uint8_t kRelative4 = 0x1B, kUnsigned4 = 0x03, kToHeader4 = 0x3B;
  if (!memory.Load(table.header, &header) || header.version != 1 ||
      header.pointer != kRelative4 || header.count_encoding != kUnsigned4 ||
      header.table_encoding != kToHeader4) {
    return false;
  }
  const uintptr_t entries = table.header + sizeof(header);
  if (header.count > (table.end - entries) / sizeof(Entry)) return false;
  const auto wanted = static_cast<int64_t>(pc - table.header);
  uint32_t low = 0;  // the first that begins after `pc`
  uint32_t high = header.count;
  Entry entry = {};
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (!memory.Load(entries + middle * sizeof(Entry), &entry)) return false;
    if (entry.begin <= wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0 || !memory.Load(entries + (low - 1) * sizeof(Entry), &entry)) {
    return false;
  }
  *fde = table.header + static_cast<uintptr_t>(int64_t{entry.fde});
  return *fde >= table.begin && *fde < table.end;
}

}  // namespace

bool FindFrameRule(MemoryView& memory, const UnwindTable& table, uintptr_t pc,
                   FrameRule* rule) {
  uintptr_t fde = 0;
  if (!FindFde(memory, table, pc, &fde)) return false;
  ByteCursor in(memory, fde, table.end);
  const auto bytes = in.Fixed<uint32_t>();
  if (bytes > kMostEntryBytes) return false;
  in = in.Part(bytes);
  const uintptr_t id_at = in.at();
  const auto id = in.Fixed<uint32_t>();
  if (id == 0 || id > id_at - table.begin) return false;
  Cie cie{.program = ByteCursor(memory, 0, 0)};
  if (!ReadCie(memory, id_at - id, table.end, &cie) || cie.is_signal) {
    return false;
  }
  bool ok = true;
  const uintptr_t begin = Encoded(in, cie.pointer_encoding, &ok);
  const uintptr_t length = Encoded(in, cie.pointer_encoding & 0x0F, &ok);
  if (!ok || pc < begin || pc - begin >= length) return false;
  if (cie.has_augmentation) in.Skip(in.Unsigned());
  return RunFramePrograms(cie, in, begin, pc, rule);
}

}  // namespace dltap::shim
