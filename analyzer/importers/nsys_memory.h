// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_NSYS_MEMORY_H_
#define DLTAP_ANALYZER_IMPORTERS_NSYS_MEMORY_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "analyzer/importers/nsys_database.h"
#include "analyzer/importers/nsys_processes.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A number of ENUM_CUDA_MEM_KIND, which is stable since the first export.
MemoryKind NsysMemoryKind(std::optional<int64_t> number);

// Memory taken and given back, which exports of `--cuda-memory-usage=true`
// have. A memory pool counts with all that it holds. Rows without a time are
// added to `without_times`.
absl::Status AddNsysMemory(NsysDatabase& database, int64_t origin_ns,
                           NsysProcesses& processes, uint64_t& without_times);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_NSYS_MEMORY_H_
