// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_FUNCTION_NAMES_H_
#define DLTAP_SHIM_TAP_TAGGING_FUNCTION_NAMES_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "shim/tap/tagging/late_table.h"
#include "shim/tap/tagging/pointer_map.h"
#include "shim/tap/tagging/spin_lock.h"

namespace dltap::shim::tagging {

// Names of what launches launch: host stubs of nvcc's registrations, and
// handles that a module or library gave out by name.
//
// Registering (23,177 times at `import torch`) keeps two pointers, nothing
// else; the collector copies a name into the trace when it first sees a launch
// of it. A name lives as long as its fat binary is registered, so that
// unregistering takes the lock under which the collector copies.
class FunctionNames {
 public:
  // The tables are there from now on.
  void Prepare() { tables_.Make(); }

  void Register(void* fat_binary, const void* stub, const char* name);
  void Unregister(void* fat_binary);
  // `function` was found under `name`, which is copied.
  void Named(const void* function, const char* name);
  // `function` runs the same code as `source`, whose name is known or not.
  void Alias(const void* function, const void* source);

  // Collector only: defines the name of a launched function in the trace, the
  // first time in `session`.
  void Note(uint64_t function, uint32_t session);

 private:
  struct Registration {
    std::atomic<const void*> stub;  // nullptr: not yet or no longer there
    const char* name;
  };
  struct Range {  // registrations of one fat binary, made one after the other
    const void* fat_binary;
    uint32_t begin, end;
  };
  static constexpr uint32_t kMaxRegistrations = 1u << 17;
  static constexpr uint32_t kMaxRanges = 1u << 13;
  static constexpr uint32_t kArenaBytes = 8u << 20;
  static constexpr uint32_t kMaxNameBytes = 16u << 10;

  struct Tables {
    std::array<Registration, kMaxRegistrations> registrations;
    std::array<Range, kMaxRanges> ranges;
    std::array<char, kArenaBytes> arena;
    std::array<char, kMaxNameBytes> noted_name;  // collector only
    // Function -> offset in arena + 1.
    PointerMap<2, 13> named;
    // Function -> session that holds its definition. Collector only.
    PointerMap<0, 15> noted;
  };

  // Collector: copies the name, cut to `bytes`. False if unknown. A name of a
  // registration lies in a library that may be gone without a word (an
  // unregistering that we did not see), so that it copies with care.
  bool CopyName(const Tables& tables, uint64_t function, char* copy,
                uint32_t bytes);
  // REQUIRES both: the lock.
  const char* RegisteredName(const Tables& tables, uint64_t stub) const;
  // The name's offset in the arena + 1; `known`, if that name lies there; 0: no
  // room.
  uint64_t Keep(Tables& tables, const char* name, uint64_t known);
  // `function` has the name at `place`, and had that at `known`.
  static void Assign(Tables& tables, const void* function, uint64_t place,
                     uint64_t known);

  SpinLock lock_;  // ranges, arena; and names while they are copied
  uint32_t registration_count_ = 0;
  uint32_t range_count_ = 0;
  uint32_t arena_used_ = 0;
  LateTable<Tables> tables_;
};

extern constinit FunctionNames g_function_names;

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_FUNCTION_NAMES_H_
