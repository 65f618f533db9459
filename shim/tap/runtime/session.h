// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SESSION_H_
#define DLTAP_SHIM_TAP_RUNTIME_SESSION_H_

// The life of a session, as wrappers see it: idle until the first work of the
// process, then one session until the process ends or tracing must stop. All of
// this is cold; all of it keeps errno.
namespace dltap::shim {

// Decides how time is read, before the first work is timed. Cheap when
// repeated. Reads the environment; creates nothing.
[[gnu::cold]] void PrepareClock();

// Starts the process's session: files, rings, collector thread. True when a
// session records now (also one that another thread has started). Once failed
// or disabled, the process stays off.
[[gnu::cold, gnu::noinline]] bool StartSession();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SESSION_H_
