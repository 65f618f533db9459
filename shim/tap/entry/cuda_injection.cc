// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/entry/real_functions.h"
#include "shim/tap/runtime/injection.h"
#include "shim/tap/runtime/session.h"

// The driver loads the library that CUDA_INJECTION64_PATH names when it is
// initialized, and calls InitializeInjection(). Then all calls have their
// functions: what can be seen is what CUPTI tells.
namespace dltap::shim {
namespace {

enum class Standing { kSecondCopy, kPreloaded, kLate };

// A second copy, under another path, would record everything twice.
Standing StandingOf(const LoadedObjects& objects) {
  const char* name = objects[objects.Ours()].name;
  for (int i = 0; i < objects.count(); ++i) {
    if (i != objects.Ours() && strcmp(objects[i].name, name) == 0) {
      return Standing::kSecondCopy;
    }
  }
  return objects.Ours() < objects.StartupCount() ? Standing::kPreloaded
                                                 : Standing::kLate;
}

}  // namespace
}  // namespace dltap::shim

// The driver may hold locks of its own. StartSession() does not wait for a
// collector that hangs in the vendor's code; it goes on when cuInit returns.
extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  using namespace dltap::shim;
  Standing standing = Standing::kSecondCopy;
  WithLoadedObjects([&standing](const LoadedObjects& objects) {
    if (objects.Ours() != LoadedObjects::kNone) standing = StandingOf(objects);
  });
  if (standing == Standing::kPreloaded) {
    NoteInjection(Injection::kBesidePreload);
  } else if (standing == Standing::kLate) {
    NoteInjection(Injection::kAlone);
    SettleRealFunctions();  // no wrapper will: what devices there are is asked
    StartSession();
  }
  return 1;
}
