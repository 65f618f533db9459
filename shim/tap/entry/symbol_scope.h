// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_SYMBOL_SCOPE_H_
#define DLTAP_SHIM_TAP_ENTRY_SYMBOL_SCOPE_H_

#include "shim/tap/entry/loaded_objects.h"

namespace dltap::shim {

// Which definition of a vendor's function a caller would have been bound to,
// had we not come first. From the objects' own tables, by the loader's rules as
// far as public tables show them.
class Definitions {
 public:
  // Those of `symbol` in the library of that SONAME prefix, and in objects that
  // are not the vendor's: interposers, stand-ins, lazy stubs. Not ours, and
  // none of an object that comes before us in the global scope: that one calls
  // us.
  Definitions(const LoadedObjects& objects, const char* symbol,
              const char* soname_prefix);

  // The one that every caller gets; LoadedObjects::kNone: it depends.
  int ForAll() const;

  // The one that the code at `caller` gets; kNone: not known, since the caller
  // neither needs a definition by name nor was loaded by one that does.
  int ForCaller(const void* caller) const;
  // The same, for a name that is looked up: not what lies outside its scope,
  // however alone.
  int InScopeOf(const void* caller) const;

  // The only one of the vendor's, else kNone.
  int OnlyVendors() const { return vendor_count_ == 1 ? first_vendor_ : kNone; }
  bool HasCopies() const { return vendor_count_ > 1; }
  // Any: the vendor's, if there is one.
  int Any() const;

  // Is `object`, where a look-up found the name, the vendor's library?
  bool IsVendors(int object) const;

  int count() const { return count_; }
  void* FunctionOf(int object) const;

 private:
  static constexpr int kNone = LoadedObjects::kNone;
  static constexpr int kMost = 32;

  bool IsDefinition(int object) const;
  int NeededVendor(int object) const;
  int FirstInClosure(int root) const;
  int OfAncestors(int object) const;

  const LoadedObjects& objects_;
  const SymbolName symbol_;
  const char* soname_prefix_;
  int found_[kMost];
  int count_ = 0;
  int vendor_count_ = 0;
  int first_vendor_ = kNone;
  int global_ = kNone;  // the first in the global scope behind us
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_SYMBOL_SCOPE_H_
