// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_ACTIVITY_HOOKS_H_
#define DLTAP_SHIM_TAP_RUNTIME_ACTIVITY_HOOKS_H_

#include <cstdint>

#include "shim/tap/runtime/clock.h"

// What the rest of the tap asks of the activity source, which lies above the
// runtime: a slot that the source fills at load. Without one every function
// does nothing.
namespace dltap::shim {

struct ActivityHooks {
  // Around outermost library calls, while SetPushing() is on. False: not
  // pushed.
  bool (*push)(uint64_t id);
  void (*pop)();
  // A stream capture or an explicit graph begins.
  void (*capture_begins)();
  // How the source's clock is read; may be asked before a session. nullptr:
  // its library is not loaded.
  ActivityTimestamp (*find_timestamp)();
};
void SetActivityHooks(const ActivityHooks& hooks);

// Library calls push correlation ids from now on, or no more.
void SetPushing(bool on);
bool PushCorrelation(uint64_t id);
void PopCorrelation();

void NoteCapture();

ActivityTimestamp FindActivityTimestamp();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_ACTIVITY_HOOKS_H_
