// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/process_page.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "shim/tap/runtime/environment.h"

namespace dltap::shim {

constinit ProcessPage g_process;

namespace {

// Outside of the page: a child is what its parent was.
[[gnu::section("dltap_at_load")]] constinit bool g_disabled_at_load = false;

void WipePage() {
  memset(static_cast<void*>(&g_process), 0, sizeof(g_process));
}

bool AsksToDisable() {
  const char* text = FindVariable(environ, "DLTAP_DISABLE");
  bool asked = false;
  return text != nullptr && ParseBoolean(text, &asked) && asked;
}

[[gnu::constructor]] void ProtectFromFork() {
  if (madvise(&g_process, sizeof(g_process), MADV_WIPEONFORK) != 0) {
    pthread_atfork(nullptr, nullptr, WipePage);  // Linux before 4.14
  }
  if (getauxval(AT_SECURE) != 0 || AsksToDisable()) DisableForGood();
}

}  // namespace

bool DisabledAtLoad() { return g_disabled_at_load; }

void DisableForGood() {
  g_disabled_at_load = true;
  g_process.word.store(kDisabled, std::memory_order_relaxed);
}

}  // namespace dltap::shim
