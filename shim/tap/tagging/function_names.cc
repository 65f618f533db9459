// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/function_names.h"

#include <cstring>

#include "shim/tap/tagging/mapped_text.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

uint64_t Key(const void* function) {
  return reinterpret_cast<uint64_t>(function);
}

bool CopyText(const char* from, char* copy, uint32_t bytes) {
  const size_t length = strnlen(from, bytes - 1);
  memcpy(copy, from, length);
  copy[length] = '\0';
  return true;
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
    }
    ranges_[i].fat_binary = nullptr;
  }
}

void FunctionNames::Named(const void* function, const char* name) {
  if (function == nullptr || name == nullptr) return;
  const size_t bytes = strlen(name) + 1;
  uint32_t offset = 0;
  {
    SpinGuard guard(lock_);
    if (!guard || bytes > kArenaBytes - arena_used_) {
      CountLoss(trace::LossKind::kRegistrationOverflow);
      return;
    }
    const uint64_t known = named_.Find(Key(function));
    if (known != 0 && strcmp(&arena_[known - 1], name) == 0) return;
    offset = arena_used_;
    memcpy(&arena_[offset], name, bytes);
    arena_used_ += static_cast<uint32_t>(bytes);
  }
  // A handle of an unloaded module may have come back with another name.
  noted_.Erase(Key(function));
  if (!named_.Insert(Key(function), uint64_t{offset} + 1)) {
    CountLoss(trace::LossKind::kRegistrationOverflow);
  }
}

void FunctionNames::Alias(const void* function, const void* source) {
  const uint64_t known = named_.Find(Key(source));
  if (known != 0) {
    noted_.Erase(Key(function));
    if (!named_.Insert(Key(function), known)) {
      CountLoss(trace::LossKind::kRegistrationOverflow);
    }
    return;
  }
  char copy[2048];
  if (CopyName(Key(source), copy, sizeof(copy), CopyText)) {
    Named(function, copy);
  }
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

bool FunctionNames::CopyName(uint64_t function, char* copy, uint32_t bytes,
                             TextCopier copier) {
  SpinGuard guard(lock_);
  if (!guard) return false;
  const uint64_t known = named_.Find(function);
  if (known != 0) return CopyText(&arena_[known - 1], copy, bytes);
  const char* name = RegisteredName(function);
  return name != nullptr && copier(name, copy, bytes);
}

void FunctionNames::Note(uint64_t function, uint32_t session) {
  if (function == 0 || noted_.Find(function) == session) return;
  char* name = noted_name_.data();
  const bool known = CopyName(function, name, kMaxNameBytes, CopyTextIfMapped);
  // An unknown name stays unknown; a definition that failed is tried again.
  if (!known || (g_runtime.define_function != nullptr &&
                 g_runtime.define_function(
                     function, name, static_cast<uint32_t>(strlen(name))))) {
    noted_.Insert(function, session);
  }
}

constinit FunctionNames g_function_names;

}  // namespace dltap::shim::tagging
