// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_SESSION_H_
#define DLTAP_SHIM_TAP_RUNTIME_SESSION_H_

// The life of a session, as wrappers see it: idle until the first work of the
// process, then one session until the process ends or tracing must stop. All of
// this is cold; all of it keeps errno. No file is touched here: the collector
// opens the session.
namespace dltap::shim {

// Reads the configuration and decides by which clock the first work is timed.
// Cheap when repeated, creates nothing. False: the process does not record.
[[gnu::noinline]] bool PrepareSession();

// Starts the collector, which opens the process's session, and waits for it;
// also the threads that come meanwhile wait. True when a session records now.
// A session that is not open in time is not waited for again: calls are counted
// and lost as `session_opening` until it is. Once failed or disabled, the
// process stays off.
[[gnu::noinline]] bool StartSession();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_SESSION_H_
