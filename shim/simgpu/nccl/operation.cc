// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/nccl/operation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

#include "shim/simgpu/device/library_call.h"
#include "shim/simgpu/nccl/mailbox.h"
#include "shim/simgpu/nccl/reduction.h"

namespace dltap::simgpu {
namespace {

constexpr double kStartNs = 6'000;              // alpha: launch and first hop
constexpr double kPerHopNs = 1'000;             // each further hop of a tree
constexpr double kLowLatencyBytes = 64 * 1024;  // below: protocol LL

std::string_view NameOf(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce: return "AllReduce";
    case Collective::kAllGather: return "AllGather";
    case Collective::kReduceScatter: return "ReduceScatter";
    case Collective::kBroadcast: return "Broadcast";
    case Collective::kReduce: return "Reduce";
    default: return "SendRecv";
  }
}

bool IsReduction(Collective collective) {
  return collective == Collective::kAllReduce ||
         collective == Collective::kReduceScatter ||
         collective == Collective::kReduce;
}

// What one rank moves over its link, per byte of `Operation::bytes()`.
double BytesOnTheWire(const Operation& operation) {
  const double n = operation.comm->ranks;
  const auto bytes = static_cast<double>(operation.bytes());
  switch (operation.collective) {
    case Collective::kAllReduce: return 2 * (n - 1) / n * bytes;
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kAllToAll: return (n - 1) * bytes;
    default: return n > 1 ? bytes : 0;
  }
}

}  // namespace

size_t Operation::bytes() const { return count * ElementBytes(type); }

ncclResult_t Check(const Operation& operation) {
  if (operation.comm == nullptr) return ncclInvalidArgument;
  if (ElementBytes(operation.type) == 0) return ncclInvalidArgument;
  const ncclComm& comm = *operation.comm;
  if (operation.root < 0 || operation.root >= comm.ranks) {
    return ncclInvalidArgument;
  }
  return comm.async_error.load();
}

const char* KernelName(const Operation& operation) {
  std::string name = "ncclDevKernel_";
  name += NameOf(operation.collective);
  if (IsReduction(operation.collective)) {
    name += '_';
    name += OpName(operation.op);
    name += '_';
    name += TypeName(operation.type);
  }
  if (NameOf(operation.collective) != "SendRecv") {
    name += static_cast<double>(operation.bytes()) < kLowLatencyBytes
                ? "_RING_LL"
                : "_RING_SIMPLE";
  }
  const std::string mangled = "_Z" + std::to_string(name.size()) + name +
                              "24ncclDevKernelArgsStorageILm4096EE";
  return InternName(mangled.c_str());
}

int64_t DurationNs(const Operation& operation) {
  const opmodel::GpuSpec& gpu = GpuOfStream(operation.stream);
  const double rate = gpu.nvlink_bytes_per_s > 0 ? gpu.nvlink_bytes_per_s
                                                 : gpu.pcie_bytes_per_s;
  const double hops = std::ceil(std::log2(std::max(1, operation.comm->ranks)));
  return static_cast<int64_t>(kStartNs + kPerHopNs * hops +
                              BytesOnTheWire(operation) / rate * 1e9);
}

Exchange::Exchange(const Operation& operation) : operation_(operation) {
  ncclComm& comm = *operation.comm;
  // A send and its receive count per pair, apart from the collectives.
  switch (operation.collective) {
    case Collective::kSend:
      prefix_ = comm.id + "-p" + std::to_string(comm.rank) + "-" +
                std::to_string(operation.root) + "-" +
                std::to_string(comm.NextSend(operation.root));
      break;
    case Collective::kReceive:
      prefix_ = comm.id + "-p" + std::to_string(operation.root) + "-" +
                std::to_string(comm.rank) + "-" +
                std::to_string(comm.NextReceive(operation.root));
      break;
    default: prefix_ = comm.id + "-c" + std::to_string(comm.NextCollective());
  }
}

std::string Exchange::NameOf(int rank) const {
  const bool is_pair = operation_.collective == Collective::kSend ||
                       operation_.collective == Collective::kReceive;
  return is_pair ? prefix_ : prefix_ + "-" + std::to_string(rank);
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

bool Exchange::Receives() const {
  const bool is_root = operation_.comm->rank == operation_.root;
  switch (operation_.collective) {
    case Collective::kReduce:
    case Collective::kGather: return is_root;
    case Collective::kSend: return false;
    default: return true;
  }
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

bool Exchange::Publish() {
  if (!Contributes()) return true;
  const bool published = simgpu::Publish(
      NameOf(operation_.comm->rank), operation_.input, InputBytes(), Readers());
  if (!published) operation_.comm->async_error = ncclSystemError;
  return published;
}

void Exchange::CopyFrom(int rank, size_t source_offset, size_t target_offset,
                        size_t bytes) {
  const Message message(NameOf(rank), operation_.comm->aborted);
  if (!message.valid() || source_offset >= message.bytes()) return;
  const size_t there = std::min(bytes, message.bytes() - source_offset);
  std::memcpy(static_cast<std::byte*>(operation_.output) + target_offset,
              message.data() + source_offset, there);
}

void Exchange::CompleteReduction() {
  const bool scatters = operation_.collective == Collective::kReduceScatter;
  const size_t offset =
      scatters ? operation_.bytes() * operation_.comm->rank : 0;
  std::vector<std::byte> sum(operation_.bytes());
  for (int rank = 0; rank < operation_.comm->ranks; ++rank) {
    const Message message(NameOf(rank), operation_.comm->aborted);
    if (!message.valid() || message.bytes() < offset + sum.size()) return;
    if (rank == 0) {
      std::memcpy(sum.data(), message.data() + offset, sum.size());
    } else {
      Reduce(operation_.op, operation_.type, sum.data(),
             message.data() + offset, operation_.count);
    }
  }
  Finish(operation_.op, operation_.type, sum.data(), operation_.count,
         operation_.comm->ranks);
  std::memcpy(operation_.output, sum.data(), sum.size());
}

void Exchange::CompleteCopies() {
  const size_t bytes = operation_.bytes();
  const int own = operation_.comm->rank;
  switch (operation_.collective) {
    case Collective::kBroadcast: return CopyFrom(operation_.root, 0, 0, bytes);
    case Collective::kScatter:
      return CopyFrom(operation_.root, bytes * own, 0, bytes);
    case Collective::kReceive: return CopyFrom(operation_.root, 0, 0, bytes);
    default: break;
  }
  const bool chooses = operation_.collective == Collective::kAllToAll;
  for (int rank = 0; rank < operation_.comm->ranks; ++rank) {
    CopyFrom(rank, chooses ? bytes * own : 0, bytes * rank, bytes);
  }
}

void Exchange::Complete() {
  if (!Receives()) return;
  if (IsReduction(operation_.collective)) {
    CompleteReduction();
  } else {
    CompleteCopies();
  }
  MarkWritten(operation_.output, OutputBytes());
}

}  // namespace dltap::simgpu
