// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/launch_sites.h"

#include <cerrno>
#include <cstring>

#include "shim/tap/entry/native_sites.h"
#include "shim/tap/entry/site_table.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/session_state.h"

namespace dltap::shim {
namespace {

using trace::LossKind;
using trace::SiteKind;

KnownPython* SlotOf(SiteTable& table, uint64_t hash, bool* is_new) {
  for (uint32_t probe = 0; probe < kPythonSlots; ++probe) {
    KnownPython& slot = table.pythons[(hash + probe) % kPythonSlots];
    uint64_t known = slot.hash.load(std::memory_order_acquire);
    if (known == hash) return &slot;
    if (known != 0) continue;
    if (!*is_new) return nullptr;
    if (slot.hash.compare_exchange_strong(known, hash,
                                          std::memory_order_acq_rel)) {
      return &slot;
    }
    if (known == hash) return &slot;
  }
  return nullptr;
}

uint32_t TakePython(SiteTable& table, uint64_t epoch) {
  if (table.python_count.load(std::memory_order_relaxed) >= kMostPythonSites) {
    return NoSite(LossKind::kSiteTableFull);
  }
  ScratchHold hold(table);
  if (hold.get() == nullptr) return NoSite(LossKind::kSiteUnknown);
  Scratch& scratch = *hold.get();
  if (!table.python.Describe(scratch.memory, &scratch.python, &scratch.site) ||
      scratch.memory.was_refused()) {
    return NoSite(LossKind::kSiteUnknown);
  }
  // Describing has taught what else tells paths apart.
  const uint64_t hash = table.python.HashPath();
  const uint32_t id = Define(scratch);
  bool is_new = true;
  KnownPython* slot = hash != 0 ? SlotOf(table, hash, &is_new) : nullptr;
  if (slot == nullptr || id == 0) return id;
  table.python_count.fetch_add(1, std::memory_order_relaxed);
  slot->site.store(epoch << 32 | id, std::memory_order_release);
  return id;
}

// False: the thread runs no Python now, or none whose frames can be read.
bool PythonSite(SiteTable& table, uint32_t* site) {
  PythonConnection& python = table.python;
  if (python.Connect()) {
    WriteSiteMode(SiteKind::kPython,
                  python.is_usable() ? SiteKind::kPython : SiteKind::kNative,
                  python.why_not());
  }
  if (python.IsBeingFound()) {
    *site = NoSite(LossKind::kSiteUnknown);
    return true;
  }
  if (!python.is_usable()) return false;
  if (!python.IsStillThere()) {
    WriteSiteMode(SiteKind::kPython, SiteKind::kNative, python.why_not());
    return false;
  }
  if (!python.HasThread()) return false;
  if (!python.is_checked()) {
    ScratchHold hold(table);
    if (hold.get() == nullptr) {
      *site = NoSite(LossKind::kSiteUnknown);
      return true;
    }
    const PythonConnection::Check check =
        python.CheckLayout(hold.get()->memory, &hold.get()->python);
    if (check == PythonConnection::Check::kNoFrames) return false;
    WriteSiteMode(SiteKind::kPython,
                  python.is_usable() ? SiteKind::kPython : SiteKind::kNative,
                  python.why_not());
    if (!python.is_usable()) return false;
  }
  const uint64_t hash = python.HashPath();
  if (hash == 0) return false;
  const uint64_t epoch = DefinitionEpoch();
  bool is_new = false;
  const KnownPython* slot = SlotOf(table, hash, &is_new);
  if (slot != nullptr) {
    const uint64_t known = slot->site.load(std::memory_order_acquire);
    if (known >> 32 == epoch && static_cast<uint32_t>(known) != 0) {
      *site = static_cast<uint32_t>(known);
      return true;
    }
  }
  *site = TakePython(table, epoch);
  return true;
}

uint32_t SiteOf(ThreadState& thread) {
  SiteTable* table = SitesOfProcess();
  if (table == nullptr) return 0;
  uint32_t site = 0;
  if (table->kind == SiteKind::kPython && PythonSite(*table, &site)) {
    return site;
  }
  return NativeSite(*table, thread);
}

}  // namespace

uint64_t NoteSite(ThreadState& thread) {
  const int saved_errno = errno;
  trace::SitePayload payload = {};
  payload.site = SiteOf(thread);
  errno = saved_errno;
  const uint64_t ticks = Ticks();
  trace::CallSlot* slot = Reserve(thread, 1);
  if (slot == nullptr) return ticks;
  slot->begin_ticks = ticks;
  slot->duration_ticks = 0;
  slot->entry_point = static_cast<uint16_t>(trace::SpecialSlot::kSite);
  slot->slots = 1;
  slot->flags = 0;
  memcpy(slot->payload, &payload, sizeof(payload));
  Commit(thread, 1);
  return ticks;
}

}  // namespace dltap::shim
