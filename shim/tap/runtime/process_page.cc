// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/process_page.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstring>

namespace dltap::shim {

constinit ProcessPage g_process;

namespace {

void WipePage() {
  memset(static_cast<void*>(&g_process), 0, sizeof(g_process));
}

// Before anything but zero is stored in the page.
[[gnu::constructor]] void ProtectFromFork() {
  if (madvise(&g_process, sizeof(g_process), MADV_WIPEONFORK) != 0) {
    pthread_atfork(nullptr, nullptr, WipePage);  // Linux before 4.14
  }
}

}  // namespace
}  // namespace dltap::shim
