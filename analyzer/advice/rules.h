// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_RULES_H_
#define DLTAP_ANALYZER_ADVICE_RULES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/facts.h"

namespace dltap::analyzer {

// Which of the trace's numbers a rule believes; a bit each.
enum Needs : uint8_t {
  kNeedsCounts = 1,     // no record is missing
  kNeedsHostTimes = 2,  // what the host did was measured
  kNeedsClasses = 4,    // nearly all GPU time has a class
  kNeedsFlops = 8       // FLOPs of the advice's class are known
};

// Appends what it finds, with all but what the judge sets. It need not look at
// trust, at the least gain or at the number of steps: the judge does.
using RuleFunction = void (*)(const Facts& facts, std::vector<Advice>& out);

struct Rule {
  std::string_view id;
  uint8_t needs;
  // It looks only at the facts that are of one device where a rank is late.
  bool of_a_rank;
  RuleFunction find;
};
std::span<const Rule> AllRules();

// One file each.
void AdviseInput(const Facts& facts, std::vector<Advice>& out);
void AdviseSyncReads(const Facts& facts, std::vector<Advice>& out);
void AdviseSmallKernels(const Facts& facts, std::vector<Advice>& out);
void AdviseBlocked(const Facts& facts, std::vector<Advice>& out);
void AdvisePauses(const Facts& facts, std::vector<Advice>& out);
void AdviseComm(const Facts& facts, std::vector<Advice>& out);
void AdvisePageable(const Facts& facts, std::vector<Advice>& out);
void AdviseCopyOverlap(const Facts& facts, std::vector<Advice>& out);
void AdviseSyncs(const Facts& facts, std::vector<Advice>& out);
void AdviseFrees(const Facts& facts, std::vector<Advice>& out);
void AdviseSmallUploads(const Facts& facts, std::vector<Advice>& out);
void AdviseDownload(const Facts& facts, std::vector<Advice>& out);
void AdviseTensorCores(const Facts& facts, std::vector<Advice>& out);
void AdviseFp64(const Facts& facts, std::vector<Advice>& out);
void AdviseOptimizer(const Facts& facts, std::vector<Advice>& out);
void AdviseTensorByTensor(const Facts& facts, std::vector<Advice>& out);
void AdviseAttention(const Facts& facts, std::vector<Advice>& out);
void AdviseRnnLoop(const Facts& facts, std::vector<Advice>& out);
void AdviseAutotune(const Facts& facts, std::vector<Advice>& out);
void AdviseLayout(const Facts& facts, std::vector<Advice>& out);
void AdviseCast(const Facts& facts, std::vector<Advice>& out);
void AdvisePointwise(const Facts& facts, std::vector<Advice>& out);
void AdviseEmbedding(const Facts& facts, std::vector<Advice>& out);
void AdviseCheckpoint(const Facts& facts, std::vector<Advice>& out);
void AdviseGrownCaches(const Facts& facts, std::vector<Advice>& out);
void AdviseRepeatedTokens(const Facts& facts, std::vector<Advice>& out);
void AdviseMicroBatches(const Facts& facts, std::vector<Advice>& out);

void AdviseSlicedGradients(const Facts& facts, std::vector<Advice>& out);
void AdviseNeedlessCasts(const Facts& facts, std::vector<Advice>& out);
void AdviseCopies(const Facts& facts, std::vector<Advice>& out);
void AdviseExtraPasses(const Facts& facts, std::vector<Advice>& out);
void AdviseGradientChecks(const Facts& facts, std::vector<Advice>& out);
void AdviseZeroedGradients(const Facts& facts, std::vector<Advice>& out);
void AdviseUnusedGradients(const Facts& facts, std::vector<Advice>& out);
void AdviseManyTables(const Facts& facts, std::vector<Advice>& out);
void AdviseOddSizes(const Facts& facts, std::vector<Advice>& out);
void AdviseOneHot(const Facts& facts, std::vector<Advice>& out);
void AdviseWideLogits(const Facts& facts, std::vector<Advice>& out);
void AdviseGradientSends(const Facts& facts, std::vector<Advice>& out);
void AdviseBucketCopies(const Facts& facts, std::vector<Advice>& out);
void AdviseWideGradients(const Facts& facts, std::vector<Advice>& out);
void AdviseUnfoldedConvolutions(const Facts& facts, std::vector<Advice>& out);
void AdviseNormBiases(const Facts& facts, std::vector<Advice>& out);
void AdviseDoubleSoftmax(const Facts& facts, std::vector<Advice>& out);
void AdviseGrownArrays(const Facts& facts, std::vector<Advice>& out);
void AdviseSinglePasses(const Facts& facts, std::vector<Advice>& out);
void AdviseSplitProducts(const Facts& facts, std::vector<Advice>& out);
void AdviseStackedSamples(const Facts& facts, std::vector<Advice>& out);
void AdviseOverwrittenFills(const Facts& facts, std::vector<Advice>& out);
void AdviseExpertLoop(const Facts& facts, std::vector<Advice>& out);
void AdviseSharedExperts(const Facts& facts, std::vector<Advice>& out);
void AdviseSortedTops(const Facts& facts, std::vector<Advice>& out);
void AdviseWeightPenalties(const Facts& facts, std::vector<Advice>& out);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_RULES_H_
