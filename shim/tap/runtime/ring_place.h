// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_RING_PLACE_H_
#define DLTAP_SHIM_TAP_RUNTIME_RING_PLACE_H_

#include "shim/tap/runtime/ring_file.h"

namespace dltap::shim {

// Creates the ring file of the data file of that name in `directory`, which is
// open as `dir_fd`. In shared memory where there is room: a shared mapping of a
// file on a disk stalls the program at writeback, and dies with the file when
// somebody cuts it off. Else beside the data file. 0 or errno. Collector only.
int CreateRing(RingFile* ring, const trace::FileHeader& header, int dir_fd,
               const char* directory, const char* data_file);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_RING_PLACE_H_
