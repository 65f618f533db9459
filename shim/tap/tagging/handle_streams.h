// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_HANDLE_STREAMS_H_
#define DLTAP_SHIM_TAP_TAGGING_HANDLE_STREAMS_H_

#include "shim/tap/tagging/pointer_map.h"

namespace dltap::shim::tagging {

// The stream each library handle works on. PyTorch sets it before nearly every
// call, so what does not change costs one lookup and writes nothing.
class HandleStreams {
 public:
  void Set(void* handle, void* stream);
  void Forget(void* handle);

 private:
  // handle -> stream << 16 | session. User addresses have 47 bits.
  PointerMap<2, 8> streams_;
};

extern constinit HandleStreams g_handle_streams;

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_HANDLE_STREAMS_H_
