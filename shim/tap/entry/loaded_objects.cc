// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/loaded_objects.h"

#include <atomic>

#include "shim/tap/entry/libc_variable.h"
#include "shim/tap/entry/loader_lock.h"
#include "shim/tap/entry/plain_text.h"

namespace dltap::shim {
namespace {

// File names of libraries that look each other up and must get real pointers.
// They carry a version; what others put in front of them, "libcudart_log.so",
// does not.
constexpr const char* kVendorPrefixes[] = {
    "libcudart",     "libcudnn",        "libcublas", "libcusolver",
    "libcusparse",   "libcufft",        "libcurand", "libcufile",
    "libcupti",      "libnccl",         "libnvrtc",  "libnvJitLink",
    "libnvidia-",    "libnvshmem",      "libnvblas", "libnvptxcompiler",
    "libnvToolsExt", "libcudadebugger", "libnvjpeg", "libnppc"};
constexpr const char* kWithoutVersion[] = {"libcuda.so", "libnvperf",
                                           "libcheckpoint", "libdltapsim",
                                           "libToolsInjection"};

// "libcudnn_ops.so.9", "libcudart-1a2b3c4d.so.13"
constexpr bool HasVersion(const char* name) {
  for (; *name != '\0'; ++name) {
    if (BeginsWith(name, ".so.")) return name[4] >= '0' && name[4] <= '9';
  }
  return false;
}

bool IsVendorName(const char* name) {
  for (const char* prefix : kWithoutVersion) {
    if (BeginsWith(name, prefix)) return true;
  }
  for (const char* prefix : kVendorPrefixes) {
    if (!BeginsWith(name, prefix)) continue;
    return HasVersion(name) || IsSame(name + LengthOf(prefix), ".so");
  }
  return false;
}

// Any address of this object.
constinit const char kOurs = 0;

constinit LoadedObjects g_objects;
// How many the program started with; -1: not known.
[[gnu::section("dltap_at_load")]] constinit int g_started_with = -1;
using PhdrCallback = int (*)(dl_phdr_info*, size_t, void*);
using IteratePhdr = int (*)(PhdrCallback, void*);
[[gnu::section("dltap_at_load")]] constinit std::atomic<IteratePhdr> g_iterate{
    nullptr};
// Who is in there, under the loader's lock; in a forked child, was.
constinit std::atomic<int> g_visits{0};

// The C library's entry of the loader's public list. The list is walked without
// its lock: what lies before the C library is never unloaded.
const link_map* FindLibc() {
  const SymbolName libc_only("gnu_get_libc_version");
  const link_map* map = _r_debug.r_map;
  while (map != nullptr &&
         ElfObject(map->l_addr, map->l_ld).FindFunction(libc_only) == nullptr) {
    map = map->l_next;
  }
  return map;
}

}  // namespace

// Makes LoadedObjects of what dl_iterate_phdr tells.
class LoaderList {
 public:
  static void Visit(ObjectsVisitor visit, void* data) {
    Call call = {visit, data, Iterate(), 0};
    if (ListLockIsLost()) {
      VisitWithoutLock(call);
    } else if (call.iterate != nullptr) {
      call.iterate(OnLocked, &call);
    }
  }

  static void NoteStartup() {
    if (const IteratePhdr iterate = Iterate()) iterate(OnStartup, nullptr);
  }

 private:
  struct Call {
    ObjectsVisitor visit;
    void* data;
    IteratePhdr iterate;
    int index;
  };

  // The C library's own, whoever has interposed it.
  static IteratePhdr Iterate() {
    IteratePhdr iterate = g_iterate.load(std::memory_order_relaxed);
    if (iterate != nullptr) return iterate;
    iterate = reinterpret_cast<IteratePhdr>(FindInLibc("dl_iterate_phdr"));
    g_iterate.store(iterate, std::memory_order_relaxed);
    return iterate;
  }

  static int OnStartup(dl_phdr_info* info, size_t, void*) {
    g_started_with = static_cast<int>(info->dlpi_adds - info->dlpi_subs);
    return 1;
  }

  // Nothing can be loaded or unloaded any more. What was known at the fork is
  // that, unless a thread was about to change it.
  static void VisitWithoutLock(const Call& call) {
    int nobody = 0;
    if (g_objects.count_ == 0 || !g_visits.compare_exchange_strong(nobody, 1)) {
      return;
    }
    call.visit(g_objects, call.data);
    g_visits.store(0);
  }

  // At the first object. The lock is held and may be taken again.
  static int OnLocked(dl_phdr_info* info, size_t, void* data) {
    auto* call = static_cast<Call*>(data);
    g_visits.fetch_add(1);
    if (g_objects.loads_ != info->dlpi_adds ||
        g_objects.unloads_ != info->dlpi_subs) {
      if (g_objects.unloads_ != info->dlpi_subs) g_objects.Clear();
      call->iterate(OnObject, call);
      g_objects.loads_ = info->dlpi_adds;
      g_objects.unloads_ = info->dlpi_subs;
      if (!g_objects.is_startup_known_) g_objects.CheckStartup();
    }
    call->visit(g_objects, call->data);
    g_visits.fetch_sub(1);
    return 1;
  }

  // While nothing is unloaded, the list only grows, at its end.
  static int OnObject(dl_phdr_info* info, size_t, void* data) {
    auto* call = static_cast<Call*>(data);
    if (call->index++ >= g_objects.count_) g_objects.Append(*info);
    return 0;
  }
};

void LoadedObjects::Clear() {
  count_ = 0;
  for (uint16_t& slot : by_name_) slot = 0;
}

void LoadedObjects::Append(const dl_phdr_info& info) {
  if (count_ == kMaxObjects) return;
  LoadedObject& object = objects_[count_];
  object.base = info.dlpi_addr;
  object.dynamic = nullptr;
  object.begin = UINTPTR_MAX;
  object.end = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_DYNAMIC) {
      object.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    }
    if (segment.p_type != PT_LOAD) continue;
    if (begin < object.begin) object.begin = begin;
    if (begin + segment.p_memsz > object.end) {
      object.end = begin + segment.p_memsz;
    }
  }
  const char* soname = object.Elf().soname();
  object.name = *soname != '\0'             ? soname
                : info.dlpi_name != nullptr ? FileName(info.dlpi_name)
                                            : "";
  object.is_vendor = IsVendorName(object.name);
  if (object.Contains(&kOurs)) ours_ = count_;
  ++count_;
  uint16_t& slot = by_name_[SlotOf(object.name)];
  if (slot == 0) slot = static_cast<uint16_t>(count_);
}

// What was preloaded stands before the C library in the list, what is loaded
// later (as an injected library) behind it.
void LoadedObjects::CheckStartup() {
  startup_count_ = g_started_with < 0 ? count_ : g_started_with;
  if (Named("libc.so.6") < ours_) startup_count_ = 0;
  is_startup_known_ = true;
}

// The slot of that name, or the empty one where it belongs.
uint32_t LoadedObjects::SlotOf(const char* name) const {
  uint32_t at = SymbolName(name).gnu_hash % kNameSlots;
  while (by_name_[at] != 0 && !IsSame(objects_[by_name_[at] - 1].name, name)) {
    at = (at + 1) % kNameSlots;
  }
  return at;
}

bool LoadedObjects::HasVendorElsewhere() const {
  if (loads_ - unloads_ <= static_cast<uint64_t>(count_)) return false;
  constexpr int kWithNamespaces = 2;  // from glibc 2.35 on
  if (_r_debug.r_version < kWithNamespaces) return count_ < kMaxObjects;
  const auto* space = reinterpret_cast<const r_debug_extended*>(&_r_debug);
  while ((space = space->r_next) != nullptr) {
    for (const link_map* map = space->base.r_map; map != nullptr;
         map = map->l_next) {
      if (IsVendorName(FileName(map->l_name))) return true;
    }
  }
  return false;
}

int LoadedObjects::Containing(const void* address) const {
  for (int i = 0; i < count_; ++i) {
    if (objects_[i].Contains(address)) return i;
  }
  return kNone;
}

int LoadedObjects::Named(const char* needed) const {
  return by_name_[SlotOf(FileName(needed))] - 1;
}

void VisitLoadedObjects(ObjectsVisitor visit, void* data) {
  LoaderList::Visit(visit, data);
}

void NoteStartupObjects() { LoaderList::NoteStartup(); }

bool IsSecondCopy() {
  const link_map* ours = _r_debug.r_map;
  while (ours != nullptr && ours->l_ld != _DYNAMIC) ours = ours->l_next;
  if (ours == nullptr) return false;
  const char* name = FileName(ours->l_name);
  const link_map* map = ours->l_prev;
  while (map != nullptr && !IsSame(FileName(map->l_name), name)) {
    map = map->l_prev;
  }
  return map != nullptr;
}

void* FindInLibc(const char* symbol) {
  const link_map* libc = FindLibc();
  if (libc == nullptr) return nullptr;
  return ElfObject(libc->l_addr, libc->l_ld).FindFunction(symbol);
}

void* FindVariableInLibc(const char* symbol, uint64_t bytes) {
  const link_map* libc = FindLibc();
  if (libc == nullptr) return nullptr;
  uint64_t found_bytes = 0;
  void* found =
      ElfObject(libc->l_addr, libc->l_ld).FindVariable(symbol, &found_bytes);
  return found_bytes == bytes ? found : nullptr;
}

void* FindNextOf(const char* symbol) {
  const SymbolName name(symbol);
  const link_map* libc = FindLibc();
  bool is_behind_us = false;
  for (const link_map* map = _r_debug.r_map; map != nullptr;
       map = map->l_next) {
    const bool is_ours = map->l_ld == _DYNAMIC;
    void* found = (is_behind_us && !is_ours) || map == libc
                      ? ElfObject(map->l_addr, map->l_ld).FindFunction(name)
                      : nullptr;
    if (found != nullptr || map == libc) return found;
    is_behind_us |= is_ours;
  }
  return nullptr;
}

namespace {

// In the order in which the loader searches.
bool IsNextOurs(const LoadedObjects& objects, int object,
                const SymbolName& symbol) {
  const int ours = objects.Ours();
  if (objects.StartupCount() == 0 || object >= ours) return false;
  int next = object + 1;
  while (next < ours && !objects[next].Elf().Defines(symbol)) ++next;
  return next == ours && objects[ours].Elf().Defines(symbol);
}

}  // namespace

ObjectFacts FactsOf(const void* address, const char* symbol) {
  ObjectFacts facts;
  WithLoadedObjects([&](const LoadedObjects& objects) {
    const int i = objects.Containing(address);
    if (i == LoadedObjects::kNone) return;
    const ElfObject elf = objects[i].Elf();
    facts.found = true;
    facts.is_ours = i == objects.Ours();
    facts.is_vendor = objects[i].is_vendor;
    facts.defines_symbol = elf.Defines(SymbolName(symbol));
    facts.precedes_us = IsNextOurs(objects, i, SymbolName(symbol));
    // (libtorch_cpu exports InitializeInjection and is no interposer.)
    facts.is_interposer = elf.FindFunction("dlsym") != nullptr &&
                          elf.FindFunction("gnu_get_libc_version") == nullptr;
  });
  return facts;
}

bool IsOurs(const void* address) { return FactsOf(address, "").is_ours; }

}  // namespace dltap::shim
