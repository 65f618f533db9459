// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_COLLECTIVE_TIME_H_
#define DLTAP_OPMODEL_COLLECTIVE_TIME_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "opmodel/gpu_table.h"

// How long a collective takes: alpha + steps x hop + bytes / bandwidth, the
// Hockney model (Thakur, Rabenseifner, Gropp 2005) with NCCL's own constants,
// minimised over the algorithms and protocols that NCCL chooses from.
namespace dltap::opmodel {

enum class CollectiveKind : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kAllToAll,
  kGather,
  kScatter,
  kSendReceive,
};

// Which of NCCL's tables of latencies applies.
enum class LinkClass : uint8_t { kNvlink, kPcie, kNetwork };

// What joins each rank to the next.
struct Link {
  std::string_view name;
  LinkClass link_class;
  double bytes_per_s;  // one direction; 0: the GPU's own
};

// nvlink, pcie, 1GbE, 10GbE, 100GbE, ib.
std::span<const Link> AllLinks();
const Link* FindLink(std::string_view name);
// NVLink where the GPU has it, else PCIe.
const Link& DefaultLink(const GpuSpec& gpu);
double LinkBandwidth(const Link& link, const GpuSpec& gpu);

enum class CollectiveAlgorithm : uint8_t { kTree, kRing };
enum class CollectiveProtocol : uint8_t { kLl, kLl128, kSimple };

struct CollectiveTime {
  double ns;
  double start_ns;  // of it, before the first hop: paid once by a fused group
  CollectiveAlgorithm algorithm;
  CollectiveProtocol protocol;
};

// `bytes`: of the larger of a rank's input and output, which nccl-tests call
// the size; of one message for kSendReceive.
CollectiveTime TimeOfCollective(CollectiveKind kind, double bytes, int ranks,
                                const Link& link, const GpuSpec& gpu);

// One of the candidates that it chooses from.
CollectiveTime TimeOfCandidate(CollectiveKind kind, double bytes, int ranks,
                               const Link& link, const GpuSpec& gpu,
                               CollectiveAlgorithm algorithm,
                               CollectiveProtocol protocol);

// What every rank's link carries per byte of size: bus bandwidth is algorithm
// bandwidth times this (nccl-tests, PERFORMANCE.md).
double BusFactor(CollectiveKind kind, int ranks);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_COLLECTIVE_TIME_H_
