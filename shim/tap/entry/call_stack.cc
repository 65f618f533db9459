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

// The caller's registers. False: the tables do not say, or say what cannot be.
bool StepOut(MemoryView& memory, const FrameRule& rule, StackPlace* place,
             uintptr_t* slot) {
  constexpr uintptr_t kMostFrameBytes = uintptr_t{64} << 20;
  uintptr_t cfa = (rule.cfa_from_bp ? place->bp : place->sp) +
                  static_cast<uintptr_t>(rule.cfa_offset);
  if (rule.cfa_is_stored && !memory.Load(cfa, &cfa)) return false;
  if (cfa <= place->sp || cfa - place->sp > kMostFrameBytes || cfa % 8 != 0) {
    return false;
  }
  const uintptr_t bp = place->bp;
  const auto offset = static_cast<uintptr_t>(rule.bp_offset);
  switch (rule.bp) {
    case FrameRule::Bp::kSame: break;
    case FrameRule::Bp::kLost: place->bp = 0; break;
    case FrameRule::Bp::kAtCfa:
      if (!memory.Load(cfa + offset, &place->bp)) return false;
      break;
    case FrameRule::Bp::kAtBp:
      if (!memory.Load(bp + offset, &place->bp)) return false;
      break;
  }
  *slot = cfa + static_cast<uintptr_t>(rule.return_offset);
  place->sp = cfa;
  return memory.Load(*slot, &place->pc);
}

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

}  // namespace

void WalkStack(MemoryView& memory, const LoaderFunctions& loader,
               StackPlace place, StackPath* path) {
  const uintptr_t bottom = place.sp;
  path->count = 1;
  path->returns[0] = place.pc;
  path->offsets[0] = 0;
  path->objects = 0;
  path->is_truncated = true;
  while (true) {
    FoundObject object;
    const uintptr_t code = place.pc - 1;  // a call may end its function
    if (!FindObject(loader, code, &object)) return;
    path->objects = Mix(Mix(path->objects, object.map->l_addr),
                        At(object.map_end) ^ At(object.map));
    FrameRule rule;
    const UnwindTable table = {At(object.eh_frame_header), At(object.map_start),
                               At(object.map_end)};
    if (!FindFrameRule(memory, table, code, &rule)) return;
    uintptr_t slot = 0;
    if (!rule.is_outermost && !StepOut(memory, rule, &place, &slot)) return;
    if (rule.is_outermost || place.pc == 0) {
      path->is_truncated = false;
      return;
    }
    if (path->count == StackPath::kMostFrames) return;
    path->returns[path->count] = place.pc;
    path->offsets[path->count++] = static_cast<uint32_t>(slot - bottom);
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
