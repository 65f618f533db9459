// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_RUN_LOCK_H_
#define DLTAP_ANALYZER_EXPORTERS_RUN_LOCK_H_

#include <filesystem>

namespace dltap::analyzer {

// Held by whoever changes what a run of a data set holds, so that two who pack
// the same rank at once follow each other and never mix. The kernel gives it
// back when its holder dies. Waits for the other. A file system without locks
// has none: then nobody waits.
class RunLock {
 public:
  explicit RunLock(const std::filesystem::path& run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  const int fd_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_RUN_LOCK_H_
