// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/site_table.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {
namespace {

using trace::SiteKind;

// The loader's, or the C library's: that differs between releases.
void FindLoader(const LoadedObjects& objects, LoaderFunctions* loader) {
  for (int i = 0; i < objects.count(); ++i) {
    const ElfObject elf = objects[i].Elf();
    uint64_t bytes = 0;
    const void* end = elf.FindVariable("__libc_stack_end", &bytes);
    if (end != nullptr && bytes >= sizeof(uintptr_t)) {
      memcpy(&loader->main_stack_end, end, sizeof(uintptr_t));
    }
    void* find = elf.FindFunction("_dl_find_object");
    if (find != nullptr && loader->find_object == nullptr) {
      memcpy(&loader->find_object, &find, sizeof(find));
    }
  }
}

bool CanReadMemory(int pid) {
  const auto here = reinterpret_cast<uintptr_t>(&pid);
  return AllReadable(pid, here, here + sizeof(pid));
}

// In ProcessPage::making_sites.
enum : uint32_t { kNotAsked, kBeingMade, kRefused };

SiteTable* RefuseSites(SiteKind wanted, const char* reason) {
  WriteSiteMode(wanted, SiteKind{}, reason);
  g_process.making_sites.store(kRefused, std::memory_order_release);
  return nullptr;
}

// Null: there are no launch sites here, as the trace says; or another thread
// makes the table, and this call is one without a site.
SiteTable* MakeTable() {
  // Where sites are refused, every call comes by: it only reads.
  uint32_t state = g_process.making_sites.load(std::memory_order_acquire);
  if (state != kNotAsked || !g_process.making_sites.compare_exchange_strong(
                                state, kBeingMade, std::memory_order_acq_rel)) {
    if (state == kBeingMade) NoSite(trace::LossKind::kSiteUnknown);
    return nullptr;
  }
  const auto wanted = static_cast<SiteKind>(SessionConfig().sites);
  if (!CanReadMemory(getpid())) {
    return RefuseSites(wanted, "process_vm_readv is refused here");
  }
  void* memory = mmap(nullptr, sizeof(SiteTable), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return RefuseSites(wanted, "no memory for the table of launch sites");
  }
  madvise(memory, sizeof(SiteTable), MADV_WIPEONFORK);
  auto* table = static_cast<SiteTable*>(memory);
  table->pid = getpid();
  table->kind = wanted;
  WithLoadedObjects([table](const LoadedObjects& objects) {
    FindLoader(objects, &table->loader);
  });
  const ssize_t length =
      readlink("/proc/self/exe", table->program, sizeof(table->program) - 1);
  if (length < 0) table->program[0] = '\0';
  if (table->loader.find_object == nullptr && wanted == SiteKind::kNative) {
    WriteSiteMode(
        wanted, SiteKind{},
        "the C library is older than 2.35 and cannot name the object of "
        "an address without a lock");
  } else if (wanted == SiteKind::kNative) {
    WriteSiteMode(wanted, wanted, "");
  } else {
    WriteSiteMode(wanted, SiteKind::kNative, "no thread runs Python");
  }
  g_process.sites.store(table, std::memory_order_release);
  return table;
}

}  // namespace

SiteTable* SitesOfProcess() {
  void* table = g_process.sites.load(std::memory_order_acquire);
  return table != nullptr ? static_cast<SiteTable*>(table) : MakeTable();
}

uint32_t Define(Scratch& scratch) {
  const uint32_t id = SiteDefinition::NextId();
  return scratch.site.Commit(id) ? id : 0;
}

void WriteSiteMode(SiteKind wanted, SiteKind kind, const char* reason) {
  trace::SiteModeRecord record = {};
  record.wanted = static_cast<uint8_t>(wanted);
  record.kind = static_cast<uint8_t>(kind);
  g_output.ring_file().definitions().Append(
      record, trace::Piece::String(reason, strlen(reason)));
}

uint32_t NoSite(trace::LossKind loss) {
  CountLoss(loss);
  return 0;
}

}  // namespace dltap::shim
