// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/call_stack.h"

#include <elf.h>
#include <link.h>

#include <cstring>

#include "shim/tap/entry/frame_rules.h"

namespace dltap::shim {
namespace {

// glibc's struct dl_find_object (dlfcn.h from 2.35 on).
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* map;
  void* eh_frame_header;
  unsigned long long reserved[7];
};

bool FindObject(const LoaderFunctions& loader, uintptr_t pc,
                FoundObject* found) {
  *found = {};
  return loader.find_object(reinterpret_cast<void*>(pc), found) == 0 &&
         found->map != nullptr;
}

uintptr_t At(const void* address) {
  return reinterpret_cast<uintptr_t>(address);
}

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

// A walk from frame to frame, which notes in the path on what it relies.
class Walk {
 public:
  Walk(MemoryView& memory, const StackPlace& place, StackPath* path)
      : memory_(memory), bottom_(place.sp), place_(place), path_(*path) {}

  uintptr_t pc() const { return place_.pc; }
  uint32_t slot() const { return static_cast<uint32_t>(slot_ - bottom_); }

  // To the caller. False: the tables do not say, or say what cannot be.
  bool StepOut(const FrameRule& rule) {
    constexpr uintptr_t kMostFrameBytes = uintptr_t{64} << 20;
    const bool needs_bp = rule.cfa_from_bp || rule.bp == FrameRule::Bp::kAtBp;
    if (needs_bp && !Follow(bp_at_, place_.bp)) return false;
    uintptr_t cfa = (rule.cfa_from_bp ? place_.bp : place_.sp) +
                    static_cast<uintptr_t>(rule.cfa_offset);
    if (rule.cfa_is_stored) {
      const uintptr_t at = cfa;
      if (!memory_.Load(at, &cfa) || !Follow(at, cfa)) return false;
    }
    if (cfa <= place_.sp || cfa - place_.sp > kMostFrameBytes || cfa % 8 != 0 ||
        !TakeBp(rule, cfa)) {
      return false;
    }
    slot_ = cfa + static_cast<uintptr_t>(rule.return_offset);
    place_.sp = cfa;
    return memory_.Load(slot_, &place_.pc);
  }

 private:
  static constexpr uintptr_t kRegister = 0;  // no place on a stack

  // The next frame is found by the pointer that lies `at`.
  bool Follow(uintptr_t at, uintptr_t target) {
    constexpr uintptr_t kMost = StackPath::kInRegister - 1;
    const uintptr_t to = target - bottom_;
    const uintptr_t from = at - bottom_;
    if (path_.link_count == StackPath::kMostLinks || to > kMost ||
        (at != kRegister && from > kMost)) {
      return false;
    }
    path_.link_frames[path_.link_count] = static_cast<uint8_t>(path_.count);
    path_.links[path_.link_count++] = {
        at == kRegister ? StackPath::kInRegister : static_cast<uint32_t>(from),
        static_cast<uint32_t>(to)};
    return true;
  }

  bool TakeBp(const FrameRule& rule, uintptr_t cfa) {
    if (rule.bp == FrameRule::Bp::kSame) return true;
    if (rule.bp == FrameRule::Bp::kLost) {
      place_.bp = 0;
      return true;
    }
    bp_at_ = (rule.bp == FrameRule::Bp::kAtBp ? place_.bp : cfa) +
             static_cast<uintptr_t>(rule.bp_offset);
    return memory_.Load(bp_at_, &place_.bp);
  }

  MemoryView& memory_;
  const uintptr_t bottom_;
  StackPlace place_;
  StackPath& path_;
  uintptr_t bp_at_ = kRegister;
  uintptr_t slot_ = 0;
};

char HexDigit(unsigned value) { return "0123456789abcdef"[value & 15]; }

// The NT_GNU_BUILD_ID among the notes in [at, end), as hex. 0: none.
uint32_t FindBuildId(MemoryView& memory, uintptr_t at, uintptr_t end, char* hex,
                     uint32_t most) {
  while (at + sizeof(ElfW(Nhdr)) < end) {
    ElfW(Nhdr) note;
    if (!memory.Load(at, &note)) return 0;
    const uintptr_t name = at + sizeof(note);
    const uintptr_t id = name + ((note.n_namesz + 3u) & ~3u);
    char owner[4] = {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(owner) &&
        memory.Load(name, &owner) && memcmp(owner, "GNU", 4) == 0) {
      uint32_t used = 0;
      for (uint32_t i = 0; i < note.n_descsz && used + 2 <= most; ++i) {
        uint8_t byte = 0;
        if (!memory.Load(id + i, &byte)) return 0;
        hex[used++] = HexDigit(byte >> 4);
        hex[used++] = HexDigit(byte);
      }
      return used;
    }
    at = id + ((note.n_descsz + 3u) & ~3u);
  }
  return 0;
}

uint32_t BuildIdOf(MemoryView& memory, const FoundObject& object, char* hex,
                   uint32_t most) {
  constexpr int kMostHeaders = 64;
  const uintptr_t base = At(object.map_start);
  ElfW(Ehdr) elf;
  if (!memory.Load(base, &elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
      elf.e_phentsize != sizeof(ElfW(Phdr))) {
    return 0;
  }
  for (int i = 0; i < elf.e_phnum && i < kMostHeaders; ++i) {
    ElfW(Phdr) header;
    const auto n = static_cast<uintptr_t>(i);
    if (!memory.Load(base + elf.e_phoff + n * sizeof(header), &header)) break;
    if (header.p_type != PT_NOTE) continue;
    const uintptr_t at = object.map->l_addr + header.p_vaddr;
    const uint32_t used =
        FindBuildId(memory, at, at + header.p_memsz, hex, most);
    if (used != 0) return used;
  }
  return 0;
}

// Stands for what a definition says of an object: another one may come to lie
// where it did.
uint64_t HashObject(MemoryView& memory, const FoundObject& object) {
  uint64_t hash = Mix(At(object.map_end), object.map->l_addr);
  const char* name = object.map->l_name;
  for (; name != nullptr && *name != '\0'; ++name) {
    hash = Mix(hash, static_cast<uint8_t>(*name));
  }
  char hex[64];
  const uint32_t used = BuildIdOf(memory, object, hex, sizeof(hex));
  for (uint32_t i = 0; i < used; ++i) {
    hash = Mix(hash, static_cast<uint8_t>(hex[i]));
  }
  return hash;
}

}  // namespace

void WalkStack(MemoryView& memory, const LoaderFunctions& loader,
               const StackPlace& place, StackPath* path) {
  Walk walk(memory, place, path);
  const link_map* last = nullptr;
  uint64_t last_hash = 0;
  path->count = 1;
  path->link_count = 0;
  path->returns[0] = place.pc;
  path->offsets[0] = 0;
  path->objects = 0;
  path->is_truncated = true;
  while (true) {
    FoundObject object;
    const uintptr_t code = walk.pc() - 1;  // a call may end its function
    if (!FindObject(loader, code, &object)) return;
    if (object.map != last) last_hash = HashObject(memory, object);
    last = object.map;
    path->objects = Mix(path->objects, last_hash);
    FrameRule rule;
    const UnwindTable table = {At(object.eh_frame_header), At(object.map_start),
                               At(object.map_end)};
    if (!FindFrameRule(memory, table, code, &rule)) return;
    if (!rule.is_outermost && !walk.StepOut(rule)) return;
    if (rule.is_outermost || walk.pc() == 0) {
      path->is_truncated = false;
      return;
    }
    if (path->count == StackPath::kMostFrames) return;
    path->returns[path->count] = walk.pc();
    path->offsets[path->count++] = walk.slot();
  }
}

void DescribeStack(MemoryView& memory, const LoaderFunctions& loader,
                   const StackPath& path, const char* program,
                   SiteDefinition* site) {
  site->Begin(trace::SiteKind::kNative);
  if (path.is_truncated) site->MarkTruncated();
  for (int i = 0; i < path.count; ++i) {
    trace::SiteFrame frame = {};
    frame.address = path.returns[i];
    FoundObject object;
    if (FindObject(loader, path.returns[i] - 1, &object)) {
      const char* name = object.map->l_name;
      if (name == nullptr || *name == '\0') name = program;
      frame.address -= object.map->l_addr;
      frame.place = site->String(name, static_cast<uint32_t>(strlen(name)));
      char hex[64];
      const uint32_t used = BuildIdOf(memory, object, hex, sizeof(hex));
      if (used != 0) frame.detail = site->String(hex, used);
    }
    site->Add(frame);
  }
}

}  // namespace dltap::shim
