// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_THREAD_FRAMES_H_
#define DLTAP_SHIM_TAP_ENTRY_THREAD_FRAMES_H_

namespace dltap::shim {

// At load: with each look at a thread that submits work (thread_watch.h) the
// collector also reads which Python frames it is in, and writes a ThreadFrames
// record; paths become Site definitions. The thread takes no part: its frames
// are read by way of the kernel while it runs (copy_file.h), and nothing of
// Python's is asked but which thread is the newest.
void WatchPythonFrames();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_THREAD_FRAMES_H_
