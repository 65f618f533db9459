// SPDX-License-Identifier: Apache-2.0
#include "simgpu/nccl/operation.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "opmodel/collective_time.h"
#include "simgpu/base/config.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/nccl/reduction.h"

namespace dltap::simgpu {
namespace {

using opmodel::CollectiveKind;

struct CollectiveRow {
  std::string_view kernel;  // in names
  CollectiveKind kind;
  bool reduces;
  bool per_rank;  // `count` is a share: the size is that of all ranks
};

// In the order of Collective. What has no kernel of its own is made of sends
// and receives (NCCL 2.28).
constexpr CollectiveRow kRows[] = {
    {"AllReduce", CollectiveKind::kAllReduce, true, false},
    {"AllGather", CollectiveKind::kAllGather, false, true},
    {"ReduceScatter", CollectiveKind::kReduceScatter, true, true},
    {"Broadcast", CollectiveKind::kBroadcast, false, false},
    {"Reduce", CollectiveKind::kReduce, true, false},
    {"SendRecv", CollectiveKind::kAllToAll, false, true},
    {"SendRecv", CollectiveKind::kGather, false, true},
    {"SendRecv", CollectiveKind::kScatter, false, true},
    {"SendRecv", CollectiveKind::kSendReceive, false, false},
    {"SendRecv", CollectiveKind::kSendReceive, false, false},
};

const CollectiveRow& RowOf(Collective collective) {
  return kRows[static_cast<size_t>(collective)];
}

const opmodel::Link* ChosenLink() {
  const std::string& name = GetConfig().topology;
  if (name.empty()) return nullptr;
  const opmodel::Link* link = opmodel::FindLink(name);
  if (link != nullptr) return link;
  std::string known;
  for (const opmodel::Link& row : opmodel::AllLinks()) {
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  std::fprintf(
      stderr,
      "dltap: simgpu: DLTAP_SIM_TOPOLOGY=%s is not one of %s; using the "
      "GPU's own link\n",
      name.c_str(), known.c_str());
  return nullptr;
}

// NCCL chose algorithm and protocol when it met the links, sound as they were.
opmodel::CollectiveTime TimeOf(const Operation& operation,
                               double link_speed = 1) {
  static const opmodel::Link* const chosen = ChosenLink();
  const opmodel::GpuSpec& gpu = GpuOfStream(operation.stream);
  const opmodel::Link& link =
      chosen == nullptr ? opmodel::DefaultLink(gpu) : *chosen;
  const CollectiveRow& row = RowOf(operation.collective);
  const int ranks = operation.comm->ranks;
  const auto bytes = static_cast<double>(operation.bytes());
  const double size = row.per_rank ? bytes * ranks : bytes;
  const opmodel::CollectiveTime sound =
      opmodel::TimeOfCollective(row.kind, size, ranks, link, gpu);
  if (link_speed == 1) return sound;
  opmodel::Link faulty = link;
  faulty.bytes_per_s = opmodel::LinkBandwidth(link, gpu) * link_speed;
  return opmodel::TimeOfCandidate(row.kind, size, ranks, faulty, gpu,
                                  sound.algorithm, sound.protocol);
}

}  // namespace

size_t Operation::bytes() const { return count * ElementBytes(type); }

bool IsReduction(Collective collective) { return RowOf(collective).reduces; }

ncclResult_t Check(const Operation& operation) {
  if (const ncclResult_t usable = CheckUsable(operation.comm);
      usable != ncclSuccess) {
    return usable;
  }
  ncclComm& comm = *operation.comm;
  if (ElementBytes(operation.type) == 0 || operation.root < 0 ||
      operation.root >= comm.ranks) {
    return ncclInvalidArgument;
  }
  if (!IsReduction(operation.collective) || operation.op < ncclNumOps) {
    return operation.op < 0 ? ncclInvalidArgument : ncclSuccess;
  }
  const std::lock_guard lock(comm.mutex);
  const auto index = static_cast<size_t>(operation.op - ncclNumOps);
  const bool known = index < comm.scaled_sums.size() &&
                     comm.scaled_sums[index].in_use &&
                     comm.scaled_sums[index].type == operation.type;
  return known ? ncclSuccess : ncclInvalidArgument;
}

double FactorOf(const Operation& operation) {
  if (operation.op < ncclNumOps) return 1;
  ScaledSum scaled;
  {
    const std::lock_guard lock(operation.comm->mutex);
    scaled = operation.comm->scaled_sums[operation.op - ncclNumOps];
  }
  return scaled.device_value == nullptr
             ? scaled.host_value
             : ReadNumber(scaled.type, scaled.device_value);
}

const char* KernelName(const Operation& operation) {
  const CollectiveRow& row = RowOf(operation.collective);
  std::string name = "ncclDevKernel_" + std::string(row.kernel);
  if (row.reduces) {
    name += "_Sum_" + std::string(KernelTypeName(operation.type));
  }
  if (row.kernel != "SendRecv") {
    const bool is_tree =
        TimeOf(operation).algorithm == opmodel::CollectiveAlgorithm::kTree;
    name += is_tree ? "_TREE_LL" : "_RING_LL";
  }
  const std::string mangled = "_Z" + std::to_string(name.size()) + name +
                              "24ncclDevKernelArgsStorageILm4096EE";
  return InternName(mangled.c_str());
}

// One kernel starts once. Sends and receives of a group run side by side, in
// both directions of the link.
int64_t DurationNs(const std::vector<Operation>& batch,
                   const std::function<double(const Operation&)>& speed_of) {
  double start_ns = 0;
  double send_ns = 0;
  double receive_ns = 0;
  double other_ns = 0;
  for (const Operation& operation : batch) {
    const opmodel::CollectiveTime time = TimeOf(operation, speed_of(operation));
    start_ns = std::max(start_ns, time.start_ns);
    double& sum = operation.collective == Collective::kSend      ? send_ns
                  : operation.collective == Collective::kReceive ? receive_ns
                                                                 : other_ns;
    sum += time.ns - time.start_ns;
  }
  return static_cast<int64_t>(start_ns + std::max(send_ns, receive_ns) +
                              other_ns);
}

int64_t DurationNs(const std::vector<Operation>& batch) {
  return DurationNs(batch, [](const Operation&) { return 1.0; });
}

}  // namespace dltap::simgpu
