// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_replay.h"

#include <algorithm>
#include <utility>

#include "simgpu/base/clock.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/graph/graph_condition.h"
#include "simgpu/graph/graph_memory.h"
#include "simgpu/stream/event.h"
#include "simgpu/stream/host_executor.h"
#include "simgpu/stream/submit.h"
#include "simgpu/stream/timeline.h"

namespace dltap::simgpu {
namespace {

constexpr int64_t kNotOver = -1;  // a node's end

// A programmatic edge saves the gap, or waits for the earlier kernel's
// beginning only.
int64_t ReadyAfter(const GraphNode& node, const EdgeData& edge) {
  if (edge.type != kEdgeProgrammatic) return node.end_ns + kGraphNodeGapNs;
  return edge.from_port == kPortLaunchCompletion ? node.begin_ns : node.end_ns;
}

// When the dependencies let the node begin; nothing: one of them is not over.
std::optional<int64_t> ReadyTime(const GraphNode& node, int64_t begin_ns) {
  int64_t ready_ns = begin_ns;
  for (size_t i = 0; i < node.dependencies.size(); ++i) {
    const GraphNode& before = *node.dependencies[i];
    if (before.end_ns == kNotOver) return std::nullopt;
    ready_ns = std::max(ready_ns, ReadyAfter(before, node.edges[i]));
  }
  return ready_ns;
}

}  // namespace

GraphReplay::GraphReplay(GraphExec& exec, Stream& stream)
    : exec_(exec),
      stream_(stream),
      origin_{SimNow(), CurrentThread().correlation_id, {exec.graph->id, 0}} {
  if (exec.has_exchanges) NumberExchanges(*exec.graph);
}

void GraphReplay::NumberExchanges(const Graph& graph) {
  for (const GraphNode* node : exec_.orders.at(&graph)) {
    if (node->child != nullptr) NumberExchanges(*node->child);
    if (!node->enabled) continue;
    if (OpenExchange exchange = StartExchange(node->work)) {
      exchanges_.emplace(node, std::move(exchange));
    }
  }
}

bool GraphReplay::Advance() {
  if (!all_.has_value()) {
    const int64_t begin_ns =
        std::max(EarliestBegin(stream_, origin_.submitted_ns),
                 exec_.tail_ns + kKernelGapNs);
    if (!Begin(all_.emplace(), *exec_.graph, begin_ns)) return false;
  } else if (!Advance(*all_)) {
    return false;
  }
  exec_.tail_ns = all_->end_ns;
  if (exec_.memory != nullptr) EndGraphMemory(exec_, all_->end_ns);
  stream_.tail_ns.store(all_->end_ns, std::memory_order_relaxed);
  return true;
}

bool GraphReplay::AdvanceLater() {
  const std::scoped_lock lock(stream_.mutex, exec_.mutex);
  return Advance();
}

uint64_t GraphReplay::FinishLater(std::shared_ptr<GraphReplay> replay,
                                  uint64_t before) {
  GraphReplay& it = *replay;
  it.ticket_ = PollOnHost(
      [replay = std::move(replay)] { return replay->AdvanceLater(); }, before);
  if (it.all_.has_value()) {
    it.PromiseRest(*it.all_);
  } else {
    it.PromiseRest(*it.exec_.graph);
  }
  return it.ticket_;
}

bool GraphReplay::Begin(Part& part, const Graph& graph, int64_t begin_ns) {
  part.begin_ns = part.end_ns = begin_ns;
  for (GraphNode* node : exec_.orders.at(&graph)) {
    node->end_ns = kNotOver;
    OpenNode open{.node = node, .work = nullptr, .ticket = 0, .inner = nullptr};
    if (!AdvanceNode(part, open)) {
      part.open.push_back(std::move(open));
    } else {
      part.end_ns = std::max(part.end_ns, node->end_ns);
    }
  }
  return part.open.empty();
}

bool GraphReplay::Advance(Part& part) {
  std::erase_if(part.open, [&](OpenNode& open) {
    if (!AdvanceNode(part, open)) return false;
    part.end_ns = std::max(part.end_ns, open.node->end_ns);
    return true;
  });
  return part.open.empty();
}

// True: the node is over, and its end known.
bool GraphReplay::AdvanceNode(const Part& part, OpenNode& open) {
  GraphNode& node = *open.node;
  if (open.work != nullptr) {
    if (!HostWorkDone(open.ticket)) return false;
    node.end_ns = open.work->end_ns();
    return true;
  }
  if (open.inner != nullptr) {
    if (!Advance(*open.inner)) return false;
    node.end_ns = open.inner->end_ns;
    return true;
  }
  const std::optional<int64_t> ready_ns = ReadyTime(node, part.begin_ns);
  return ready_ns.has_value() && BeginNode(open, *ready_ns);
}

bool GraphReplay::BeginInner(OpenNode& open, const Graph& graph,
                             int64_t ready_ns) {
  auto inner = std::make_unique<Part>();
  const bool over = Begin(*inner, graph, ready_ns);
  if (over) {
    open.node->end_ns = inner->end_ns;
  } else {
    open.inner = std::move(inner);
  }
  return over;
}

bool GraphReplay::BeginNode(OpenNode& open, int64_t ready_ns) {
  GraphNode& node = *open.node;
  node.begin_ns = ready_ns;
  const Graph* inner = node.child;
  if (node.enabled && node.type == GraphNodeType::kConditional) {
    inner = ChosenBody(node);
  }
  if (node.enabled && inner != nullptr) {
    return BeginInner(open, *inner, ready_ns);
  }
  if (!node.enabled || node.type == GraphNodeType::kConditional) {
    node.end_ns = ready_ns;
    return true;
  }
  if (auto* wait = std::get_if<EventWaitWork>(&node.work)) {
    return WaitForEvent(node, *wait->event, ready_ns);
  }
  const Span span = Occupy(stream_, node.work,
                           {.begin_ns = ready_ns,
                            .now_ns = origin_.submitted_ns,
                            .priority = PriorityOf(node),
                            .in_order = exec_.is_chain});
  node.begin_ns = span.begin_ns;
  if (auto* record = std::get_if<EventRecordWork>(&node.work)) {
    RecordEvent(node, *record->event, span.end_ns);
  }
  Origin origin = origin_;
  origin.graph.node_id = node.id;
  origin.order = OrderOf(node);
  const bool is_later = ticket_ != 0;
  if (IsOpenEnded(node.work) ||
      (is_later && std::holds_alternative<HostWork>(node.work))) {
    return BeginOpenWork(open, span, origin);
  }
  (is_later ? ExecuteLater : Execute)(stream_, node.work, span, origin);
  node.end_ns = span.end_ns;
  return true;
}

bool GraphReplay::BeginOpenWork(OpenNode& open, const Span& span,
                                const Origin& origin) {
  GraphNode& node = *open.node;
  NoteKernel(stream_, node.work, span);
  const auto numbered = exchanges_.find(&node);
  open.work = std::make_shared<OpenWork>(stream_, node.work,
                                         numbered == exchanges_.end()
                                             ? StartExchange(node.work)
                                             : std::move(numbered->second),
                                         span, origin);
  const uint64_t before = ticket_ != 0 ? 0 : HostTicketBefore(stream_);
  if (HostWorkDone(before) && open.work->IsOver(false)) {
    node.end_ns = open.work->end_ns();
    return true;
  }
  open.ticket = OpenWork::Finish(open.work, before);
  return false;
}

bool GraphReplay::WaitForEvent(GraphNode& node, Event& event,
                               int64_t ready_ns) {
  const std::lock_guard lock(event.mutex);
  const EventMoment& moment = event.moment;
  const bool is_ours = ticket_ != 0 && moment.host_ticket == ticket_;
  if (moment.IsOpen() && !is_ours) return false;
  if (ticket_ == 0) stream_.line.Join(moment.order);
  node.end_ns = std::max(ready_ns, moment.TimeNs());
  return true;
}

void GraphReplay::RecordEvent(const GraphNode& node, Event& event,
                              int64_t time_ns) {
  const auto promised = promised_.find(&node);
  if (promised != promised_.end()) {
    *promised->second = time_ns;
    return;
  }
  const std::lock_guard lock(event.mutex);
  SetMoment(event,
            {time_ns, nullptr, HostTicketBefore(stream_), stream_.line.Now()});
}

// What is left has its place among all work from now on, and the events that it
// will record count as recorded.
void GraphReplay::PromiseRest(const Part& part) {
  for (const OpenNode& open : part.open) {
    if (open.inner != nullptr) {
      PromiseRest(*open.inner);
    } else if (open.work == nullptr) {
      Promise(*open.node);
    }
  }
}

void GraphReplay::PromiseRest(const Graph& graph) {
  for (const GraphNode* node : exec_.orders.at(&graph)) Promise(*node);
}

void GraphReplay::Promise(const GraphNode& node) {
  if (node.child != nullptr) return PromiseRest(*node.child);
  if (node.type == GraphNodeType::kConditional) {
    // Which of its nodes will run, and how often, is not known.
    stream_.line.NoteUnknownKernel();
    return;
  }
  if (const auto* wait = std::get_if<EventWaitWork>(&node.work)) {
    const std::lock_guard lock(wait->event->mutex);
    stream_.line.Join(wait->event->moment.order);
    return;
  }
  const auto* record = std::get_if<EventRecordWork>(&node.work);
  if (record == nullptr) {
    if (!node.enabled) return;
    orders_.emplace(&node, NoteOrder(stream_, node.work));
    return;
  }
  const LaterTime later = promised_[&node] = NewLaterTime();
  const std::lock_guard lock(record->event->mutex);
  SetMoment(*record->event, {0, later, ticket_, stream_.line.Now()});
}

Order GraphReplay::OrderOf(const GraphNode& node) {
  const auto promised = orders_.find(&node);
  return promised != orders_.end() ? promised->second
                                   : NoteOrder(stream_, node.work);
}

int GraphReplay::PriorityOf(const GraphNode& node) const {
  return (exec_.flags & kUseNodePriority) != 0 ? node.priority
                                               : stream_.priority.load();
}

}  // namespace dltap::simgpu
