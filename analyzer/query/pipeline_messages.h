// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_PIPELINE_MESSAGES_H_
#define DLTAP_ANALYZER_QUERY_PIPELINE_MESSAGES_H_

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/query/pipeline_operation.h"

namespace dltap::analyzer {

inline constexpr std::array kMessageKinds = {
    OperationKind::kForwardSend, OperationKind::kForwardReceive,
    OperationKind::kBackwardSend, OperationKind::kBackwardReceive};

struct MessageSide {
  OperationKind compute;  // what it carries the result of, or feeds
  OperationKind peer;
  bool is_send;
  int direction;  // to the next stage and chunk, or the one before
};

MessageSide SideOf(OperationKind kind);

// Of a ring: the last stage sends to the first, for its next chunk.
int PeerOf(int stage, const MessageSide& side, int stages);

struct MatchedMessage {
  const PipelineOperation* message;
  const PipelineOperation* compute;
  const PipelineOperation* before;  // the pass before; null: none
  bool crosses;  // false: recorded, but the model begins or ends here
};

struct StagePlace {
  int stage;
  int stages;
  int chunks;  // in the model
};

// Which pass each message belongs to; both in order of their begins. Recorded
// messages before the first or after the last pass carry nothing: left out.
absl::StatusOr<std::vector<MatchedMessage>> MatchToComputes(
    const std::vector<const PipelineOperation*>& messages,
    const std::vector<const PipelineOperation*>& computes,
    const MessageSide& side, StagePlace place);

bool BeginsBefore(const PipelineOperation* a, const PipelineOperation* b);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_PIPELINE_MESSAGES_H_
