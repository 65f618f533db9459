// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/rules.h"

namespace dltap::analyzer {
namespace {

constexpr bool kAlsoOfARank = true;

constexpr Rule kRules[] = {
    {"pageable", kNeedsCounts, kAlsoOfARank, AdvisePageable},
    {"copy_overlap", kNeedsCounts, kAlsoOfARank, AdviseCopyOverlap},
};

}  // namespace

std::span<const Rule> AllRules() { return kRules; }

}  // namespace dltap::analyzer
