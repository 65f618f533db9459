// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_LOADED_OBJECTS_H_
#define DLTAP_SHIM_TAP_ENTRY_LOADED_OBJECTS_H_

#include <link.h>

#include <cstdint>

#include "shim/tap/entry/elf_symbols.h"

namespace dltap::shim {

// An object of the loader's list.
struct LoadedObject {
  ElfW(Addr) base;
  const ElfW(Dyn) * dynamic;
  uintptr_t begin, end;  // from its first segment to its last
  const char* name;      // SONAME, else the file's name
  bool is_vendor;        // a library of NVIDIA's (or its simulation)

  ElfObject Elf() const { return ElfObject(base, dynamic); }
  bool Contains(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    return at >= begin && at < end;
  }
};

// The loader's list, in the order in which it searches and loads. It exists
// while the loader's lock is held (WithLoadedObjects), so that everything in it
// stays mapped. No allocation, dlerror() and errno untouched. Cold paths: a
// microsecond, more after something was loaded.
class LoadedObjects {
 public:
  static constexpr int kNone = -1;
  static constexpr int kMaxObjects = 4096;  // those beyond are not seen

  int count() const { return count_; }
  const LoadedObject& operator[](int i) const { return objects_[i]; }

  // Has another namespace (dlmopen) a library of the vendor's?
  bool HasVendorElsewhere() const;

  // The loader's counts of what it has loaded and unloaded, ever.
  uint64_t loads() const { return loads_; }
  uint64_t unloads() const { return unloads_; }

  // The object that this code lies in.
  int Ours() const { return ours_; }
  // Objects that the program was started with, us among them: they, and no
  // later ones for certain, are in the global scope, which is searched in the
  // order of this list. 0: we came later ourselves.
  int StartupCount() const { return startup_count_; }
  int Containing(const void* address) const;
  // The object that a DT_NEEDED name stands for: the first of that name.
  int Named(const char* needed) const;

 private:
  friend class LoaderList;
  void Clear();
  void Append(const dl_phdr_info& info);
  void CheckStartup();
  uint32_t SlotOf(const char* name) const;

  static constexpr int kNameSlots = 2 * kMaxObjects;

  int count_ = 0;
  int ours_ = kNone;
  int startup_count_ = 0;
  bool is_startup_known_ = false;
  uint64_t loads_ = 0;
  uint64_t unloads_ = 0;
  LoadedObject objects_[kMaxObjects]{};
  uint16_t by_name_[kNameSlots]{};  // index + 1
};

// At load: how many objects the program starts with. The list itself is made
// when it is first needed, which most processes never do.
void NoteStartupObjects();

// At load: does a file of our name stand before us in the list? No lock: what
// the program was started with stays.
bool IsSecondCopy();

using ObjectsVisitor = void (*)(const LoadedObjects& objects, void* data);
void VisitLoadedObjects(ObjectsVisitor visit, void* data);

// Calls visit(objects) under the loader's lock.
template <typename Visit>
void WithLoadedObjects(Visit visit) {
  VisitLoadedObjects([](const LoadedObjects& objects,
                        void* data) { (*static_cast<Visit*>(data))(objects); },
                     &visit);
}

// The function of the C library's ("dlsym") that the loader's search finds
// after ours: its own, or that of an interposer behind us. Callable before any
// constructor; takes no lock and calls nothing.
void* FindNextOf(const char* symbol);

// The C library's own function, whoever has interposed it; nullptr: it has none
// of that name. Takes no lock.
void* FindInLibc(const char* symbol);

// What the dlsym filter must know of the object that contains `address`.
struct ObjectFacts {
  bool found = false;
  bool is_ours = false;
  bool is_vendor = false;
  bool is_interposer = false;   // defines dlsym itself
  bool defines_symbol = false;  // exports the name asked for
  bool precedes_us = false;     // its next definition of that name is ours
};
ObjectFacts FactsOf(const void* address, const char* symbol);

// Does `address` lie in our own object?
bool IsOurs(const void* address);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_LOADED_OBJECTS_H_
