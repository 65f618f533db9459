// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/real_functions.h"

#include <array>
#include <cerrno>

#include "shim/tap/entry/call_sites.h"
#include "shim/tap/entry/plain_text.h"
#include "shim/tap/entry/symbol_scope.h"
#include "shim/tap/runtime/injection.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/tagging/tagging_runtime.h"
#include "tap_tables.h"

namespace dltap::shim {

constinit std::atomic<void*> g_real[specs::kCounterCount];

namespace {

constexpr int kNone = LoadedObjects::kNone;

// Where wrappers lead that dlsym has given out, by counter index. Like all that
// follows, written under the loader's lock only.
constinit std::atomic<void*> g_given_out[specs::kCounterCount];

// Counter indices for which one of the two is set.
constinit uint16_t g_known[specs::kCounterCount];
constinit int g_known_count = 0;
constinit bool g_is_known[specs::kCounterCount];

constinit uint64_t g_settled_loads = 0;
constinit uint64_t g_settled_unloads = 0;

// What the collector asks the vendor, see FindNoted().
constexpr const char* kAsked[] = {"cuDriverGetVersion",
                                  "cuDeviceGetCount",
                                  "cuDeviceGet",
                                  "cuDeviceGetAttribute",
                                  "cuDeviceGetName",
                                  "cuDeviceGetUuid",
                                  "cuDeviceGetUuid_v2",
                                  "cuDeviceTotalMem_v2",
                                  "cudaRuntimeGetVersion",
                                  "cudaGetDeviceCount",
                                  "cudaDeviceGetAttribute",
                                  "cudaGetDeviceProperties",
                                  "cudaGetDeviceProperties_v2",
                                  "cublasGetProperty",
                                  "cublasLtGetVersion",
                                  "cudnnGetVersion",
                                  "ncclGetVersion",
                                  "cuptiGetVersion"};
constinit std::atomic<void*> g_asked[std::size(kAsked)];

Definitions DefinitionsOf(const LoadedObjects& objects, int counter_index) {
  const specs::EntryPoint entry = specs::OfCounter(counter_index);
  return {objects, specs::SymbolOf(entry),
          specs::SonamePrefix(specs::LibraryOf(entry))};
}

void Keep(std::atomic<void*>* table, int counter_index, void* real) {
  table[counter_index].store(real, std::memory_order_relaxed);
  if (g_is_known[counter_index]) return;
  g_is_known[counter_index] = true;
  g_known[g_known_count++] = static_cast<uint16_t>(counter_index);
}

// Of `address`: the object among the first `kept`, which were there before.
bool IsGone(const LoadedObjects& objects, int kept, const void* address) {
  if (address == nullptr) return false;
  const int object = objects.Containing(address);
  return object == kNone || object >= kept;
}

void ForgetUnloaded(const LoadedObjects& objects, int kept) {
  for (int i = 0; i < g_known_count; ++i) {
    for (std::atomic<void*>* table : {g_real, g_given_out}) {
      std::atomic<void*>& real = table[g_known[i]];
      if (IsGone(objects, kept, real.load(std::memory_order_relaxed))) {
        real.store(nullptr, std::memory_order_relaxed);
      }
    }
  }
  ForgetCallSites();
  tagging::ForgetRealFunctions();
  for (std::atomic<void*>& asked : g_asked) {
    asked.store(nullptr, std::memory_order_relaxed);
  }
}

// A function that a new object defines, too, is looked for again.
void ForgetRedefined(const LoadedObjects& objects, int kept) {
  for (int i = 0; i < g_known_count; ++i) {
    std::atomic<void*>& real = g_real[g_known[i]];
    if (real.load(std::memory_order_relaxed) == nullptr) continue;
    const SymbolName symbol(specs::SymbolOf(specs::OfCounter(g_known[i])));
    for (int object = kept; object < objects.count(); ++object) {
      if (!objects[object].Elf().Defines(symbol)) continue;
      real.store(nullptr, std::memory_order_relaxed);
      break;
    }
  }
}

void NoteAsked(const LoadedObjects& objects, int from) {
  for (int object = from; object < objects.count(); ++object) {
    if (!objects[object].is_vendor) continue;
    for (size_t i = 0; i < std::size(kAsked); ++i) {
      if (g_asked[i].load(std::memory_order_relaxed) != nullptr) continue;
      g_asked[i].store(objects[object].Elf().FindFunction(kAsked[i]),
                       std::memory_order_relaxed);
    }
  }
}

// Is the object bound to the vendor's functions past us (RTLD_DEEPBIND)?
bool IsBoundPast(const LoadedObjects& objects, int object) {
  const ElfObject elf = objects[object].Elf();
  bool needs_vendor = false;
  const char* needed = nullptr;
  for (int i = 0; !needs_vendor && (needed = elf.Needed(i)) != nullptr; ++i) {
    const int found = objects.Named(needed);
    needs_vendor = found != kNone && objects[found].is_vendor;
  }
  const ElfObject ours = objects[objects.Ours()].Elf();
  return needs_vendor && elf.AnyImport([&](const char* name, void* address) {
    // Some names are wrapped for look-ups only.
    if (specs::FindWrapped(name) < 0 || ours.FindFunction(name) == nullptr) {
      return false;
    }
    const int found = objects.Containing(address);
    return found != kNone && found != object && objects[found].is_vendor;
  });
}

// What will call the vendor without our seeing it is counted, once each; not
// where the driver brought us in: then all does, and the level says so.
void CountEscapes(const LoadedObjects& objects, int kept) {
  if (InjectionKind() == Injection::kAlone) return;
  static constinit bool has_elsewhere = false;
  if (!has_elsewhere && objects.HasVendorElsewhere()) {
    has_elsewhere = true;
    CountLoss(trace::LossKind::kUnwrappedRoute);
  }
  for (int object = kept; object < objects.count(); ++object) {
    if (objects[object].is_vendor || object == objects.Ours()) continue;
    if (IsBoundPast(objects, object)) {
      CountLoss(trace::LossKind::kUnwrappedRoute);
    }
  }
}

// Takes in what was loaded and unloaded since the last time. What was there
// before stands at the begin of the list, in the same order.
void Settle(const LoadedObjects& objects) {
  const uint64_t loads = objects.loads() - g_settled_loads;
  const bool has_unloaded = objects.unloads() != g_settled_unloads;
  WatchLoader(objects);
  LoaderSettled();
  if (loads == 0 && !has_unloaded) return;
  const auto count = static_cast<uint64_t>(objects.count());
  const int kept = static_cast<int>(count - (loads < count ? loads : count));
  if (has_unloaded) ForgetUnloaded(objects, kept);
  ForgetRedefined(objects, kept);
  NoteAsked(objects, has_unloaded ? 0 : kept);
  CountEscapes(objects, kept);
  g_settled_loads = objects.loads();
  g_settled_unloads = objects.unloads();
}

// The function for a caller, nullptr: there is none.
void* Resolve(const LoadedObjects& objects, int counter_index,
              const void* caller) {
  const Definitions definitions = DefinitionsOf(objects, counter_index);
  const int for_all = definitions.ForAll();
  if (for_all != kNone) {
    void* real = definitions.FunctionOf(for_all);
    Keep(g_real, counter_index, real);
    return real;
  }
  if (definitions.count() == 0) return nullptr;
  void* real = definitions.FunctionOf(definitions.ForCaller(caller));
  if (real == nullptr) {
    real = g_given_out[counter_index].load(std::memory_order_relaxed);
  }
  if (real == nullptr) {
    const int only = definitions.OnlyVendors();
    if (only == kNone) CountLoss(trace::LossKind::kUnwrappedRoute);
    real = definitions.FunctionOf(only != kNone ? only : definitions.Any());
  }
  KeepForCallSite(caller, counter_index, real);
  return real;
}

// May callers of the wrapper that `caller` looked up be sent to `real`?
bool MayLeadTo(const LoadedObjects& objects, int counter_index, void* real,
               const void* caller) {
  const Definitions definitions = DefinitionsOf(objects, counter_index);
  const int for_all = definitions.ForAll();
  if (for_all != kNone) {
    if (definitions.FunctionOf(for_all) != real) return false;
    Keep(g_real, counter_index, real);
    return true;
  }
  const int object = objects.Containing(real);
  if (object == kNone || !definitions.IsVendors(object)) return false;
  void* given_out = g_given_out[counter_index].load(std::memory_order_relaxed);
  if (given_out != nullptr && given_out != real) return false;
  void* bound = definitions.FunctionOf(definitions.ForCaller(caller));
  return bound == nullptr || bound == real;
}

}  // namespace

void SettleRealFunctions() {
  const int saved_errno = errno;
  WithLoadedObjects(Settle);
  errno = saved_errno;
}

[[gnu::cold]] void* ResolveReal(int counter_index, const void* caller) {
  if (!LoaderMoved()) {
    void* known = FindForCallSite(caller, counter_index);
    if (known != nullptr) return known;
  }
  const int saved_errno = errno;
  void* real = g_real[counter_index].load(std::memory_order_relaxed);
  WithLoadedObjects([&](const LoadedObjects& objects) {
    Settle(objects);
    real = g_real[counter_index].load(std::memory_order_relaxed);
    if (real == nullptr) real = Resolve(objects, counter_index, caller);
  });
  if (real == nullptr) {
    Log(LogLevel::kWarning, "%s was called, but no loaded library defines it",
        specs::SymbolOf(specs::OfCounter(counter_index)));
  }
  errno = saved_errno;
  return real;
}

void* FindInScope(int counter_index, const void* caller) {
  void* real = nullptr;
  WithLoadedObjects([&](const LoadedObjects& objects) {
    const Definitions definitions = DefinitionsOf(objects, counter_index);
    real = definitions.FunctionOf(definitions.InScopeOf(caller));
  });
  return real;
}

void* FindReal(const char* symbol) {
  const int index = specs::FindWrapped(symbol);
  const char* prefix = "";
  void* real = nullptr;
  if (index >= 0) {
    const auto entry = static_cast<specs::EntryPoint>(index);
    real = g_real[specs::CounterOf(entry)].load(std::memory_order_relaxed);
    if (real != nullptr && !LoaderMoved()) return real;
    prefix = specs::SonamePrefix(specs::LibraryOf(entry));
  }
  WithLoadedObjects([&](const LoadedObjects& objects) {
    const Definitions definitions(objects, symbol, prefix);
    real = definitions.FunctionOf(definitions.Any());
  });
  return real;
}

bool HasCopies(const char* symbol) {
  const int index = specs::FindWrapped(symbol);
  if (index < 0) return false;
  const int counter = specs::CounterOf(static_cast<specs::EntryPoint>(index));
  bool several = false;
  WithLoadedObjects([&](const LoadedObjects& objects) {
    several = DefinitionsOf(objects, counter).HasCopies();
  });
  return several;
}

void* FindNoted(const char* symbol) {
  if (!LoaderIsAsSettled()) return nullptr;
  for (size_t i = 0; i < std::size(kAsked); ++i) {
    if (!IsSame(kAsked[i], symbol)) continue;
    return g_asked[i].load(std::memory_order_relaxed);
  }
  return nullptr;
}

bool AdoptReal(int counter_index, void* real, const void* caller) {
  const std::atomic<void*>& known = g_real[counter_index];
  if (known.load(std::memory_order_relaxed) == real && !LoaderMoved()) {
    return true;
  }
  bool may_lead = false;
  WithLoadedObjects([&](const LoadedObjects& objects) {
    Settle(objects);
    may_lead = MayLeadTo(objects, counter_index, real, caller);
    if (!may_lead) return;
    Keep(g_given_out, counter_index, real);
  });
  if (!may_lead) CountLoss(trace::LossKind::kUnwrappedRoute);
  return may_lead;
}

}  // namespace dltap::shim
