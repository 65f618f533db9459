// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/symbol_scope.h"

#include "shim/tap/entry/plain_text.h"

namespace dltap::shim {
namespace {

constexpr int kNone = LoadedObjects::kNone;

// Objects of one walk through what needs what. Used under the loader's lock
// only, as the lists that it walks.
class ObjectSet {
 public:
  void Clear() {
    for (uint64_t& word : words_) word = 0;
  }
  bool Has(int i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void Add(int i) { words_[i / 64] |= uint64_t{1} << (i % 64); }

 private:
  uint64_t words_[LoadedObjects::kMaxObjects / 64]{};
};

constinit ObjectSet g_seen;
constinit ObjectSet g_ancestors;
constinit int g_queue[LoadedObjects::kMaxObjects]{};

}  // namespace

Definitions::Definitions(const LoadedObjects& objects, const char* symbol,
                         const char* soname_prefix)
    : objects_(objects), symbol_(symbol), soname_prefix_(soname_prefix) {
  const int startup = objects.StartupCount();
  for (int i = 0; i < objects.count() && count_ < kMost; ++i) {
    if (i == objects.Ours() || (startup > 0 && i < objects.Ours())) continue;
    if (!objects[i].Elf().Defines(symbol_)) continue;
    // libcudnn_ops.so defines what libcudnn.so does, for libcudnn.so alone. Of
    // a function that is not wrapped nobody knows whose it is.
    const bool is_known = *soname_prefix != '\0';
    if (is_known && objects[i].is_vendor && !IsVendors(i)) continue;
    found_[count_++] = i;
    if (i < startup && global_ == kNone) global_ = i;
    if (!objects[i].is_vendor) continue;
    if (vendor_count_++ == 0) first_vendor_ = i;
  }
}

bool Definitions::IsVendors(int object) const {
  return objects_[object].is_vendor &&
         IsNamed(objects_[object].name, soname_prefix_);
}

bool Definitions::IsDefinition(int object) const {
  for (int i = 0; i < count_; ++i) {
    if (found_[i] == object) return true;
  }
  return false;
}

void* Definitions::FunctionOf(int object) const {
  return object == kNone ? nullptr : objects_[object].Elf().Bound(symbol_);
}

int Definitions::ForAll() const {
  if (vendor_count_ <= 1 && global_ != kNone) return global_;
  return count_ == 1 ? found_[0] : kNone;
}

int Definitions::Any() const {
  if (global_ != kNone) return global_;
  if (first_vendor_ != kNone) return first_vendor_;
  return count_ > 0 ? found_[0] : kNone;
}

// The vendor versions its symbols by SONAME, so that a caller which needs one
// copy by name is never bound to another.
int Definitions::NeededVendor(int object) const {
  const ElfObject elf = objects_[object].Elf();
  const char* needed = nullptr;
  for (int i = 0; (needed = elf.Needed(i)) != nullptr; ++i) {
    if (!IsNamed(FileName(needed), soname_prefix_)) continue;
    const int found = objects_.Named(needed);
    if (found != kNone && IsDefinition(found)) return found;
  }
  return kNone;
}

// Breadth first, as the loader orders the scope of what dlopen loads.
int Definitions::FirstInClosure(int root) const {
  g_seen.Clear();
  g_seen.Add(root);
  int queued = 0;
  g_queue[queued++] = root;
  for (int next = 0; next < queued; ++next) {
    if (IsDefinition(g_queue[next])) return g_queue[next];
    const ElfObject elf = objects_[g_queue[next]].Elf();
    const char* needed = nullptr;
    for (int i = 0; (needed = elf.Needed(i)) != nullptr; ++i) {
      const int found = objects_.Named(needed);
      if (found == kNone || g_seen.Has(found)) continue;
      g_seen.Add(found);
      g_queue[queued++] = found;
    }
  }
  return kNone;
}

// `object` may only inherit the scope of what has loaded it.
int Definitions::OfAncestors(int object) const {
  g_ancestors.Clear();
  g_ancestors.Add(object);
  for (bool grows = true; grows;) {
    grows = false;
    for (int i = 0; i < objects_.count(); ++i) {
      if (g_ancestors.Has(i)) continue;
      const ElfObject elf = objects_[i].Elf();
      const char* needed = nullptr;
      for (int n = 0; (needed = elf.Needed(n)) != nullptr; ++n) {
        const int found = objects_.Named(needed);
        if (found == kNone || !g_ancestors.Has(found)) continue;
        g_ancestors.Add(i);
        grows = true;
        break;
      }
    }
  }
  for (int i = 0; i < objects_.count(); ++i) {
    if (i == object || !g_ancestors.Has(i)) continue;
    const int found = FirstInClosure(i);
    if (found != kNone) return found;
  }
  return kNone;
}

int Definitions::InScopeOf(const void* caller) const {
  if (count_ == 0) return kNone;
  const int object = objects_.Containing(caller);
  const int needed = object != kNone ? NeededVendor(object) : kNone;
  if (global_ != kNone && (needed == kNone || !IsVendors(global_))) {
    return global_;
  }
  if (needed != kNone || object == kNone) return needed;
  const int own = FirstInClosure(object);
  return own != kNone ? own : OfAncestors(object);
}

int Definitions::ForCaller(const void* caller) const {
  const int all = ForAll();
  return all != kNone ? all : InScopeOf(caller);
}

}  // namespace dltap::shim
