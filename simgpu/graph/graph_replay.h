// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_REPLAY_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_REPLAY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "simgpu/graph/graph_exec_state.h"
#include "simgpu/stream/event_moment.h"
#include "simgpu/stream/open_work.h"
#include "simgpu/stream/stream_state.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// One launch of an exec on a stream. Nodes begin when what they depend on is
// over; at one that is open-ended its branch halts, and the replay is advanced
// again on the host executor's thread.
class GraphReplay {
 public:
  // Numbers the exchanges of the nodes.
  // REQUIRES: stream.mutex and exec.mutex, for all but AdvanceLater().
  GraphReplay(GraphExec& exec, Stream& stream);

  // True: all nodes are over, and the tails of stream and exec are known.
  bool Advance();

  // Leaves the rest to the executor, once `before` is over. The ticket of that.
  static uint64_t FinishLater(std::shared_ptr<GraphReplay> replay,
                              uint64_t before);

 private:
  struct Part;

  // A node that is not over.
  struct OpenNode {
    GraphNode* node;
    std::shared_ptr<OpenWork> work;  // when it has begun and is open-ended
    uint64_t ticket = 0;             // of that
    std::unique_ptr<Part> inner;     // of a child graph or conditional node
  };

  // One graph of the exec's tree.
  struct Part {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    std::vector<OpenNode> open;  // in topological order
  };

  bool AdvanceLater();
  bool Begin(Part& part, const Graph& graph, int64_t begin_ns);
  bool Advance(Part& part);
  bool AdvanceNode(const Part& part, OpenNode& open);
  bool BeginNode(OpenNode& open, int64_t ready_ns);
  bool BeginInner(OpenNode& open, const Graph& graph, int64_t ready_ns);
  bool BeginOpenWork(OpenNode& open, const Span& span, const Origin& origin);
  bool WaitForEvent(GraphNode& node, Event& event, int64_t ready_ns);
  void RecordEvent(const GraphNode& node, Event& event, int64_t time_ns);
  void NumberExchanges(const Graph& graph);
  void PromiseRest(const Graph& graph);
  void PromiseRest(const Part& part);
  void Promise(const GraphNode& node);
  Order OrderOf(const GraphNode& node);
  int PriorityOf(const GraphNode& node) const;

  GraphExec& exec_;
  Stream& stream_;
  const Origin origin_;
  std::unordered_map<const GraphNode*, OpenExchange> exchanges_;
  // Of nodes that are left to the executor.
  std::unordered_map<const GraphNode*, LaterTime> promised_;
  std::unordered_map<const GraphNode*, Order> orders_;
  std::optional<Part> all_;  // once begun
  uint64_t ticket_ = 0;      // 0: still on the launching thread
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_REPLAY_H_
