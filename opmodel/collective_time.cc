// SPDX-License-Identifier: Apache-2.0
#include "opmodel/collective_time.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dltap::opmodel {
namespace {

constexpr double kNsPerUs = 1e3;
constexpr double kNsPerSecond = 1e9;
constexpr int kAlgorithms = 2;
constexpr int kProtocols = 3;

// Line rates: IEEE 802.3 for Ethernet, HDR 4x for InfiniBand (200 Gb/s).
constexpr Link kLinks[] = {
    {"nvlink", LinkClass::kNvlink, 0},
    {"pcie", LinkClass::kPcie, 0},
    {"1GbE", LinkClass::kNetwork, 0.125e9},
    {"10GbE", LinkClass::kNetwork, 1.25e9},
    {"100GbE", LinkClass::kNetwork, 12.5e9},
    {"ib", LinkClass::kNetwork, 25e9},
};

// NCCL 2.28, src/graph/tuning.cc: latencies in microseconds of tree and ring
// with the protocols LL, LL128, Simple; shares of the link that each can use.
constexpr double kBaseUs[kAlgorithms][kProtocols] = {{6.8, 14.0, 8.4},
                                                     {6.6, 14.0, 8.4}};
constexpr double kHopUs[][kAlgorithms][kProtocols] = {
    {{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}},   // NVLink; see below
    {{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}},    // PCIe
    {{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}},  // network
};
// LL sends a flag with every 4 bytes, LL128 one in 16 words.
constexpr double kShare[kAlgorithms][kProtocols] = {{1 / 3.8, 0.92, 0.92},
                                                    {0.5, 0.92, 1.0}};

// Over NVLink the times are fits to 70 % of aiconfigurator's collectives on 2,
// 4 and 8 A100s (NCCL 2.27): NCCL's own figures choose an algorithm, they are
// too low for small messages and leave out that links carry headers, and that
// a pipeline has to be filled.
constexpr double kNvlinkBaseUs[kProtocols] = {9.3, 17.0, 20.0};
constexpr double kNvlinkHopUs[kProtocols] = {0.76, 0.26, 0.49};
constexpr double kNvlinkShare = 0.73;
constexpr double kPairShare = 0.87;  // of it: two ranks have fewer channels
// Messages go in segments: with the best size of one, latency L and wire time W
// overlap up to L + W + 2 sqrt(L W) (Thakur et al. 2005); NCCL does better.
constexpr double kFillShare = 0.77;

int Log2RoundedUp(int ranks) {
  return ranks <= 1 ? 0 : std::bit_width(static_cast<unsigned>(ranks - 1));
}

// Hops that one byte makes, one after the other.
double StepsOf(CollectiveKind kind, int ranks, CollectiveAlgorithm algorithm) {
  if (algorithm == CollectiveAlgorithm::kTree) {
    return 2.0 * Log2RoundedUp(ranks);  // up and down
  }
  switch (kind) {
    case CollectiveKind::kAllReduce: return 2.0 * (ranks - 1);
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
    case CollectiveKind::kSendReceive: return 1;  // all pairs at once
    default: return ranks - 1;
  }
}

}  // namespace

std::span<const Link> AllLinks() { return kLinks; }

const Link* FindLink(std::string_view name) {
  const auto* link =
      std::find_if(std::begin(kLinks), std::end(kLinks),
                   [name](const Link& l) { return l.name == name; });
  return link == std::end(kLinks) ? nullptr : link;
}

const Link& DefaultLink(const GpuSpec& gpu) {
  return *FindLink(gpu.nvlink_bytes_per_s > 0 ? "nvlink" : "pcie");
}

double LinkBandwidth(const Link& link, const GpuSpec& gpu) {
  if (link.bytes_per_s > 0) return link.bytes_per_s;
  const bool is_nvlink =
      link.link_class == LinkClass::kNvlink && gpu.nvlink_bytes_per_s > 0;
  return is_nvlink ? gpu.nvlink_bytes_per_s : gpu.pcie_bytes_per_s;
}

double BusFactor(CollectiveKind kind, int ranks) {
  if (ranks <= 1) return 0;
  const double n = ranks;
  switch (kind) {
    case CollectiveKind::kAllReduce: return 2 * (n - 1) / n;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter: return (n - 1) / n;
    default: return 1;
  }
}

namespace {

CollectiveTime TimeOverNvlink(CollectiveKind kind, double bytes, int ranks,
                              double bytes_per_s,
                              CollectiveAlgorithm algorithm,
                              CollectiveProtocol protocol) {
  const auto p = static_cast<size_t>(protocol);
  const double start_ns = kNvlinkBaseUs[p] * kNsPerUs;
  if (ranks <= 1) return {start_ns, start_ns, algorithm, protocol};
  const double bandwidth = bytes_per_s * kNvlinkShare *
                           (ranks == 2 ? kPairShare : 1) *
                           kShare[static_cast<size_t>(algorithm)][p];
  const double latency_ns =
      start_ns + StepsOf(kind, ranks, algorithm) * kNvlinkHopUs[p] * kNsPerUs;
  const double wire_ns =
      bytes * BusFactor(kind, ranks) / bandwidth * kNsPerSecond;
  return {latency_ns + wire_ns + kFillShare * std::sqrt(latency_ns * wire_ns),
          start_ns, algorithm, protocol};
}

}  // namespace

CollectiveTime TimeOfCandidate(CollectiveKind kind, double bytes, int ranks,
                               const Link& link, const GpuSpec& gpu,
                               CollectiveAlgorithm algorithm,
                               CollectiveProtocol protocol) {
  if (link.link_class == LinkClass::kNvlink) {
    return TimeOverNvlink(kind, bytes, ranks, LinkBandwidth(link, gpu),
                          algorithm, protocol);
  }
  const auto a = static_cast<size_t>(algorithm);
  const auto p = static_cast<size_t>(protocol);
  const auto hop = kHopUs[static_cast<size_t>(link.link_class)][a][p];
  // A tree moves each byte up and down once: 2, whatever the number of ranks.
  const double factor =
      algorithm == CollectiveAlgorithm::kTree ? 2.0 : BusFactor(kind, ranks);
  const double bandwidth = LinkBandwidth(link, gpu) * kShare[a][p];
  const double start_ns = kBaseUs[a][p] * kNsPerUs;
  const double hops_ns =
      ranks > 1 ? StepsOf(kind, ranks, algorithm) * hop * kNsPerUs : 0;
  const double wire_ns =
      ranks > 1 ? bytes * factor / bandwidth * kNsPerSecond : 0;
  return {start_ns + hops_ns + wire_ns, start_ns, algorithm, protocol};
}

CollectiveTime TimeOfCollective(CollectiveKind kind, double bytes, int ranks,
                                const Link& link, const GpuSpec& gpu) {
  // NCCL has a tree for all-reduce only; inside a node it is a chain.
  const bool has_tree = kind == CollectiveKind::kAllReduce && ranks > 2 &&
                        link.link_class == LinkClass::kNetwork;
  CollectiveTime best =
      TimeOfCandidate(kind, bytes, ranks, link, gpu, CollectiveAlgorithm::kRing,
                      CollectiveProtocol::kLl);
  for (int a = has_tree ? 0 : 1; a < kAlgorithms; ++a) {
    for (int p = 0; p < kProtocols; ++p) {
      const CollectiveTime candidate = TimeOfCandidate(
          kind, bytes, ranks, link, gpu, static_cast<CollectiveAlgorithm>(a),
          static_cast<CollectiveProtocol>(p));
      if (candidate.ns < best.ns) best = candidate;
    }
  }
  return best;
}

}  // namespace dltap::opmodel
