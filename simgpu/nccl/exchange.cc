// SPDX-License-Identifier: Apache-2.0
#include "simgpu/nccl/exchange.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "simgpu/base/clock.h"
#include "simgpu/base/scoped_faults.h"
#include "simgpu/bytes/address_map.h"
#include "simgpu/bytes/shared_memory.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/nccl/link_faults.h"
#include "simgpu/nccl/reduction.h"

namespace dltap::simgpu {
namespace {

// Polls in vain between two looks at whether the peers live.
constexpr int kMissesBeforeLook = 200;

// As many elements a kernel computes with zeroes in the place of stale ones.
constexpr size_t kMostAssumed = 1024;

// What the host or another process writes is what it is.
Freshness FreshnessOfInput(const void* input, size_t bytes, size_t elements) {
  const auto allocation = FindAllocation(input);
  const bool is_ours = allocation && allocation->kind == MemoryKind::kDevice &&
                       !WrittenElsewhere(input, bytes);
  if (bytes == 0 || !is_ours) return Freshness::kFresh;
  const Freshness freshness = FreshnessOf(input, bytes);
  if (freshness != Freshness::kStale || elements > kMostAssumed) {
    return freshness;
  }
  AssumeValues(static_cast<std::byte*>(const_cast<void*>(input)), bytes);
  return Freshness::kAssumed;
}

bool IsPair(Collective collective) {
  return collective == Collective::kSend || collective == Collective::kReceive;
}

}  // namespace

Exchange::Exchange(const Operation& operation) : operation_(operation) {
  ncclComm& comm = *operation.comm;
  const int peer = operation.root;
  // A send and its receive count per pair, apart from the collectives.
  switch (operation.collective) {
    case Collective::kSend:
      prefix_ = comm.id + "-p" + std::to_string(comm.rank) + "-" +
                std::to_string(peer) + "-" +
                std::to_string(comm.NextSend(peer));
      break;
    case Collective::kReceive:
      prefix_ = comm.id + "-p" + std::to_string(peer) + "-" +
                std::to_string(comm.rank) + "-" +
                std::to_string(comm.NextReceive(peer));
      break;
    default: prefix_ = comm.id + "-c" + std::to_string(comm.NextCollective());
  }
  sources_ = Sources();
  messages_.resize(sources_.size());
}

std::string Exchange::NameOf(int rank) const {
  return IsPair(operation_.collective) ? prefix_
                                       : prefix_ + "-" + std::to_string(rank);
}

bool Exchange::Contributes() const {
  const bool is_root = operation_.comm->rank == operation_.root;
  switch (operation_.collective) {
    case Collective::kBroadcast:
    case Collective::kScatter: return is_root;
    case Collective::kReceive: return false;
    default: return true;
  }
}

std::vector<int> Exchange::Sources() const {
  const bool is_root = operation_.comm->rank == operation_.root;
  switch (operation_.collective) {
    case Collective::kSend: return {};
    case Collective::kBroadcast:
    case Collective::kScatter:
    case Collective::kReceive: return {operation_.root};
    case Collective::kReduce:
    case Collective::kGather:
      if (!is_root) return {};
      break;
    default: break;
  }
  std::vector<int> all(operation_.comm->ranks);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

uint32_t Exchange::Readers() const {
  switch (operation_.collective) {
    case Collective::kReduce:
    case Collective::kGather:
    case Collective::kSend: return 1;
    default: return static_cast<uint32_t>(operation_.comm->ranks);
  }
}

size_t Exchange::InputBytes() const {
  switch (operation_.collective) {
    case Collective::kReduceScatter:
    case Collective::kScatter:
    case Collective::kAllToAll:
      return operation_.bytes() * operation_.comm->ranks;
    default: return operation_.bytes();
  }
}

size_t Exchange::OutputBytes() const {
  switch (operation_.collective) {
    case Collective::kAllGather:
    case Collective::kGather:
    case Collective::kAllToAll:
      return operation_.bytes() * operation_.comm->ranks;
    default: return operation_.bytes();
  }
}

void Exchange::Publish(int64_t begin_ns) {
  published_ = true;
  if (!Contributes()) return;
  const size_t bytes = InputBytes();
  std::vector<std::byte> scaled;
  const void* input = operation_.input;
  const Freshness freshness =
      FreshnessOfInput(input, bytes, bytes / ElementBytes(operation_.type));
  if (IsReduction(operation_.collective)) {
    const double factor = FactorOf(operation_);
    if (factor != 1) {
      scaled.resize(bytes);
      std::memcpy(scaled.data(), input, bytes);
      Scale(operation_.type, scaled.data(),
            bytes / ElementBytes(operation_.type), factor);
      input = scaled.data();
    }
  }
  if (!simgpu::Publish(NameOf(operation_.comm->rank), input, bytes, Readers(),
                       begin_ns, freshness)) {
    operation_.comm->async_error = ncclSystemError;
  }
}

void Exchange::Withdraw() {
  if (published_ && Contributes()) {
    simgpu::Withdraw(NameOf(operation_.comm->rank));
  }
}

bool Exchange::HasInputs() {
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (messages_[i] == nullptr) {
      messages_[i] = Message::Open(NameOf(sources_[i]));
    }
    if (messages_[i] == nullptr) return false;
  }
  return true;
}

// A collective that a dead rank takes part in never ends; the communicator
// tells, and the program aborts it (NCCL user guide, "Fault tolerance").
void Exchange::LookForDeadPeers() {
  const std::vector<Peer>& peers = operation_.comm->peers;
  for (size_t i = 0; i < sources_.size(); ++i) {
    const auto source = static_cast<size_t>(sources_[i]);
    if (messages_[i] != nullptr || source >= peers.size()) continue;
    if (!HasEnded(peers[source])) continue;
    // It may have sent just before it ended.
    messages_[i] = Message::Open(NameOf(sources_[i]));
    if (messages_[i] == nullptr) operation_.comm->async_error = ncclRemoteError;
  }
}

bool Exchange::Complete() {
  if (over_) return true;
  if (!HasInputs()) {
    if (++misses_ % kMissesBeforeLook == 0) LookForDeadPeers();
    return false;
  }
  if (!sources_.empty()) {
    if (IsReduction(operation_.collective)) {
      Reduce();
    } else {
      Copy();
    }
    MarkOutput();
  }
  for (const auto& message : messages_) {
    last_begin_ns_ = std::max(last_begin_ns_, message->begin_ns());
  }
  messages_.clear();
  return over_ = true;
}

void Exchange::Reduce() {
  const bool scatters = operation_.collective == Collective::kReduceScatter;
  const size_t offset =
      scatters ? operation_.bytes() * operation_.comm->rank : 0;
  std::vector<std::byte> sum(operation_.bytes());
  for (size_t i = 0; i < messages_.size(); ++i) {
    if (messages_[i]->bytes() < offset + sum.size()) return;
    const std::byte* input = messages_[i]->data() + offset;
    if (i == 0) {
      std::memcpy(sum.data(), input, sum.size());
    } else {
      simgpu::Reduce(operation_.op, operation_.type, sum.data(), input,
                     operation_.count);
    }
  }
  Finish(operation_.op, operation_.type, sum.data(), operation_.count,
         operation_.comm->ranks);
  std::memcpy(operation_.output, sum.data(), sum.size());
}

void Exchange::Copy() {
  const size_t bytes = operation_.bytes();
  const bool chooses = operation_.collective == Collective::kAllToAll ||
                       operation_.collective == Collective::kScatter;
  const size_t from = chooses ? bytes * operation_.comm->rank : 0;
  for (size_t i = 0; i < messages_.size(); ++i) {
    const Message& message = *messages_[i];
    if (from >= message.bytes()) continue;
    std::memcpy(static_cast<std::byte*>(operation_.output) + bytes * i,
                message.data() + from, std::min(bytes, message.bytes() - from));
  }
}

// A sum is no fresher than what it is of; what is copied, than its source.
void Exchange::MarkOutput() const {
  const auto mark = [&](std::byte* at, size_t bytes, Freshness freshness) {
    if (freshness == Freshness::kStale) {
      MarkStale(at, bytes, KnownTypeAt(operation_.input));
    } else {
      Mark(at, bytes, freshness);
    }
  };
  auto* const output = static_cast<std::byte*>(operation_.output);
  if (!IsReduction(operation_.collective)) {
    const size_t bytes = operation_.bytes();
    for (size_t i = 0; i < messages_.size(); ++i) {
      mark(output + bytes * i, bytes, messages_[i]->freshness());
    }
    return;
  }
  Freshness least = Freshness::kFresh;
  for (const auto& message : messages_) {
    least = std::min(least, message->freshness());
  }
  mark(output, OutputBytes(), least);
}

OpenExchange StartExchanges(const std::vector<Operation>& operations) {
  struct Running {
    ncclComm& comm;
    const uint64_t generation;
    std::vector<Exchange> exchanges;
    std::vector<Operation> operations;  // where links may have faults
    bool published = false;
  };
  ncclComm& comm = *operations.front().comm;
  auto running = std::make_shared<Running>(comm, comm.generation.load());
  comm.in_flight.fetch_add(1);
  for (const Operation& operation : operations) {
    running->exchanges.emplace_back(operation);
  }
  if (HasScopedFaults()) running->operations = operations;
  return [running](int64_t begin_ns) -> std::optional<int64_t> {
    auto& exchanges = running->exchanges;
    ncclComm& comm = running->comm;
    if (comm.generation != running->generation) {
      for (Exchange& exchange : exchanges) exchange.Withdraw();
      comm.in_flight.fetch_sub(1);
      return std::max(begin_ns, SimNow());
    }
    // All are published before any is completed, so that no order of calls in a
    // group makes ranks wait for each other.
    if (!running->published) {
      for (Exchange& exchange : exchanges) exchange.Publish(begin_ns);
      running->published = true;
    }
    bool over = true;
    int64_t last_ns = begin_ns;
    for (Exchange& exchange : exchanges) {
      over &= exchange.Complete();
      last_ns = std::max(last_ns, exchange.last_begin_ns());
    }
    if (!over) return std::nullopt;
    comm.in_flight.fetch_sub(1);
    if (running->operations.empty()) return last_ns;
    return last_ns + LinkDelayNs(running->operations, last_ns);
  };
}

}  // namespace dltap::simgpu
