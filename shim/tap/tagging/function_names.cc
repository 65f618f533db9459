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
  SpinGuard guard(lock_);
  if (!guard || registration_count_ == kMaxRegistrations) {
    CountLoss(trace::LossKind::kRegistrationOverflow);
    return;
  }
  const uint32_t index = registration_count_;
  Range* last = range_count_ > 0 ? &ranges_[range_count_ - 1] : nullptr;
  if (last == nullptr || last->fat_binary != fat_binary || last->end != index) {
    if (range_count_ == kMaxRanges) {
      CountLoss(trace::LossKind::kRegistrationOverflow);
      return;
    }
    last = &ranges_[range_count_++];
    *last = {fat_binary, index, index};
  }
  last->end = index + 1;
  registrations_[index].name = name;
  registrations_[index].stub.store(stub, std::memory_order_relaxed);
  ++registration_count_;
}

void FunctionNames::Unregister(void* fat_binary) {
  SpinGuard guard(lock_);
  if (!guard) {  // its names stay, and may be taken for a later binary's
    CountLoss(trace::LossKind::kRegistrationOverflow);
    return;
  }
  for (uint32_t i = range_count_; i-- > 0;) {
    if (ranges_[i].fat_binary != fat_binary) continue;
    for (uint32_t r = ranges_[i].begin; r < ranges_[i].end; ++r) {
      const void* stub =
          registrations_[r].stub.exchange(nullptr, std::memory_order_relaxed);
      // The next library may have another kernel there.
      noted_.Erase(Key(stub));
      if (stub != nullptr) g_launch_arguments.Forget(stub);
    }
    ranges_[i].fat_binary = nullptr;
  }
}

uint64_t FunctionNames::Keep(const char* name, uint64_t known) {
  if (known != 0 && strcmp(&arena_[known - 1], name) == 0) return known;
  const size_t bytes = strlen(name) + 1;
  if (bytes > kArenaBytes - arena_used_) return 0;
  const uint32_t offset = arena_used_;
  memcpy(&arena_[offset], name, bytes);
  arena_used_ += static_cast<uint32_t>(bytes);
  return uint64_t{offset} + 1;
}

void FunctionNames::Assign(const void* function, uint64_t place,
                           uint64_t known) {
  if (place != 0 && place == known) return;
  // A handle of an unloaded module may have come back with another name.
  noted_.Erase(Key(function));
  if (place == 0 || !named_.Insert(Key(function), place)) {
    named_.Erase(Key(function));
    CountLoss(trace::LossKind::kRegistrationOverflow);
  }
}

void FunctionNames::Named(const void* function, const char* name) {
  if (function == nullptr || name == nullptr) return;
  const uint64_t known = named_.Find(Key(function));
  uint64_t place = 0;
  if (SpinGuard guard(lock_); guard) place = Keep(name, known);
  Assign(function, place, known);
}

void FunctionNames::Alias(const void* function, const void* source) {
  if (function == nullptr) return;
  const uint64_t known = named_.Find(Key(function));
  uint64_t place = named_.Find(Key(source));
  if (place == 0) {
    SpinGuard guard(lock_);
    const char* name = guard ? RegisteredName(Key(source)) : nullptr;
    if (guard && name == nullptr) return;
    if (name != nullptr) place = Keep(name, known);
  }
  Assign(function, place, known);
}

const char* FunctionNames::RegisteredName(uint64_t stub) const {
  // Newest first: an address may have been registered again.
  for (uint32_t i = registration_count_; i-- > 0;) {
    const Registration& entry = registrations_[i];
    if (Key(entry.stub.load(std::memory_order_relaxed)) == stub) {
      return entry.name;
    }
  }
  return nullptr;
}

bool FunctionNames::CopyName(uint64_t function, char* copy, uint32_t bytes) {
  SpinGuard guard(lock_);
  if (!guard) return false;
  const uint64_t known = named_.Find(function);
  const char* name = known != 0 ? &arena_[known - 1] : RegisteredName(function);
  return name != nullptr && CopyTextIfMapped(name, copy, bytes);
}

void FunctionNames::Note(uint64_t function, uint32_t session) {
  if (function == 0 || noted_.Find(function) == session) return;
  char* name = noted_name_.data();
  const bool known = CopyName(function, name, kMaxNameBytes);
  if (known && strlen(name) == kMaxNameBytes - 1) {
    CountLoss(trace::LossKind::kTextTruncated);
  }
  // An unknown name stays unknown; a definition that failed is tried again.
  if (!known || (g_runtime.define_function != nullptr &&
                 g_runtime.define_function(
                     function, name, static_cast<uint32_t>(strlen(name))))) {
    noted_.Insert(function, session);
  }
}

constinit FunctionNames g_function_names;

}  // namespace dltap::shim::tagging
