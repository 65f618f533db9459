// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/function_names.h"

#include <cstring>

#include "shim/tap/tagging/launch_arguments.h"
#include "shim/tap/tagging/mapped_text.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

uint64_t Key(const void* function) {
  return reinterpret_cast<uint64_t>(function);
}

}  // namespace

void FunctionNames::Register(void* fat_binary, const void* stub,
                             const char* name) {
  Tables* tables = tables_.Make();
  SpinGuard guard(lock_);
  if (tables == nullptr || !guard || registration_count_ == kMaxRegistrations) {
    CountLoss(trace::LossKind::kRegistrationOverflow);
    return;
  }
  const uint32_t index = registration_count_;
  Range* last = range_count_ > 0 ? &tables->ranges[range_count_ - 1] : nullptr;
  if (last == nullptr || last->fat_binary != fat_binary || last->end != index) {
    if (range_count_ == kMaxRanges) {
      CountLoss(trace::LossKind::kRegistrationOverflow);
      return;
    }
    last = &tables->ranges[range_count_++];
    *last = {fat_binary, index, index};
  }
  last->end = index + 1;
  tables->registrations[index].name = name;
  tables->registrations[index].stub.store(stub, std::memory_order_relaxed);
  ++registration_count_;
}

void FunctionNames::Unregister(void* fat_binary) {
  Tables* tables = tables_.Find();
  if (tables == nullptr) return;
  SpinGuard guard(lock_);
  if (!guard) {  // its names stay, and may be taken for a later binary's
    CountLoss(trace::LossKind::kRegistrationOverflow);
    return;
  }
  for (uint32_t i = range_count_; i-- > 0;) {
    Range& range = tables->ranges[i];
    if (range.fat_binary != fat_binary) continue;
    for (uint32_t r = range.begin; r < range.end; ++r) {
      const void* stub = tables->registrations[r].stub.exchange(
          nullptr, std::memory_order_relaxed);
      // The next library may have another kernel there.
      tables->noted.Erase(Key(stub));
      if (stub != nullptr) g_launch_arguments.Forget(stub);
    }
    range.fat_binary = nullptr;
  }
}

uint64_t FunctionNames::Keep(Tables& tables, const char* name, uint64_t known) {
  if (known != 0 && strcmp(&tables.arena[known - 1], name) == 0) return known;
  const size_t bytes = strlen(name) + 1;
  if (bytes > kArenaBytes - arena_used_) return 0;
  const uint32_t offset = arena_used_;
  memcpy(&tables.arena[offset], name, bytes);
  arena_used_ += static_cast<uint32_t>(bytes);
  return uint64_t{offset} + 1;
}

void FunctionNames::Assign(Tables& tables, const void* function, uint64_t place,
                           uint64_t known) {
  if (place != 0 && place == known) return;
  // A handle of an unloaded module may have come back with another name.
  tables.noted.Erase(Key(function));
  if (place == 0 || !tables.named.Insert(Key(function), place)) {
    tables.named.Erase(Key(function));
    CountLoss(trace::LossKind::kRegistrationOverflow);
  }
}

void FunctionNames::Named(const void* function, const char* name) {
  if (function == nullptr || name == nullptr) return;
  Tables* tables = tables_.Make();
  if (tables == nullptr) {
    CountLoss(trace::LossKind::kRegistrationOverflow);
    return;
  }
  const uint64_t known = tables->named.Find(Key(function));
  uint64_t place = 0;
  if (SpinGuard guard(lock_); guard) place = Keep(*tables, name, known);
  Assign(*tables, function, place, known);
}

void FunctionNames::Alias(const void* function, const void* source) {
  Tables* tables = tables_.Find();
  if (function == nullptr || tables == nullptr) return;
  const uint64_t known = tables->named.Find(Key(function));
  uint64_t place = tables->named.Find(Key(source));
  if (place == 0) {
    SpinGuard guard(lock_);
    const char* name = guard ? RegisteredName(*tables, Key(source)) : nullptr;
    if (guard && name == nullptr) return;
    if (name != nullptr) place = Keep(*tables, name, known);
  }
  Assign(*tables, function, place, known);
}

const char* FunctionNames::RegisteredName(const Tables& tables,
                                          uint64_t stub) const {
  // Newest first: an address may have been registered again.
  for (uint32_t i = registration_count_; i-- > 0;) {
    const Registration& entry = tables.registrations[i];
    if (Key(entry.stub.load(std::memory_order_relaxed)) == stub) {
      return entry.name;
    }
  }
  return nullptr;
}

bool FunctionNames::CopyName(const Tables& tables, uint64_t function,
                             char* copy, uint32_t bytes) {
  SpinGuard guard(lock_);
  if (!guard) return false;
  const uint64_t known = tables.named.Find(function);
  const char* name =
      known != 0 ? &tables.arena[known - 1] : RegisteredName(tables, function);
  return name != nullptr && CopyTextIfMapped(name, copy, bytes);
}

void FunctionNames::Note(uint64_t function, uint32_t session) {
  // Nothing was ever named: neither is this.
  Tables* tables = tables_.Find();
  if (function == 0 || tables == nullptr) return;
  if (tables->noted.Find(function) == session) return;
  char* name = tables->noted_name.data();
  const bool known = CopyName(*tables, function, name, kMaxNameBytes);
  if (known && strlen(name) == kMaxNameBytes - 1) {
    CountLoss(trace::LossKind::kTextTruncated);
  }
  // An unknown name stays unknown; a definition that failed is tried again.
  if (!known || (g_runtime.define_function != nullptr &&
                 g_runtime.define_function(
                     function, name, static_cast<uint32_t>(strlen(name))))) {
    tables->noted.Insert(function, session);
  }
}

constinit FunctionNames g_function_names;

}  // namespace dltap::shim::tagging
