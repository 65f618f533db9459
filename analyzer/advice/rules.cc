// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/rules.h"

namespace dltap::analyzer {
namespace {

constexpr bool kAlsoOfARank = true;

constexpr Rule kRules[] = {
    {"input", kNeedsCounts | kNeedsHostTimes, kAlsoOfARank, AdviseInput},
    {"pageable", kNeedsCounts, kAlsoOfARank, AdvisePageable},
    {"copy_overlap", kNeedsCounts, kAlsoOfARank, AdviseCopyOverlap},
    {"sync_reads", kNeedsCounts | kNeedsHostTimes, false, AdviseSyncReads},
    {"small_kernels", kNeedsCounts | kNeedsHostTimes, false,
     AdviseSmallKernels},
    {"blocked", kNeedsCounts | kNeedsHostTimes, kAlsoOfARank, AdviseBlocked},
    {"comm", kNeedsCounts | kNeedsClasses, false, AdviseComm},
};

}  // namespace

std::span<const Rule> AllRules() { return kRules; }

}  // namespace dltap::analyzer
