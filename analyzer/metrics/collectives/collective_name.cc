// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <string>

#include "analyzer/metrics/collectives/collective_run.h"

namespace dltap::analyzer {

std::string_view Name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce: return "all_reduce";
    case CollectiveKind::kAllGather: return "all_gather";
    case CollectiveKind::kReduceScatter: return "reduce_scatter";
    case CollectiveKind::kBroadcast: return "broadcast";
    case CollectiveKind::kReduce: return "reduce";
    case CollectiveKind::kAllToAll: return "all_to_all";
    case CollectiveKind::kGather: return "gather";
    case CollectiveKind::kScatter: return "scatter";
    case CollectiveKind::kSendReceive: return "send_receive";
  }
  return "";
}

std::optional<CollectiveKind> CollectiveNamed(std::string_view name) {
  struct Row {
    std::string_view part;
    CollectiveKind kind;
  };
  // What holds another's name comes first. A barrier reduces one element.
  constexpr Row kRows[] = {{"allreduce", CollectiveKind::kAllReduce},
                           {"barrier", CollectiveKind::kAllReduce},
                           {"allgather", CollectiveKind::kAllGather},
                           {"reducescatter", CollectiveKind::kReduceScatter},
                           {"alltoall", CollectiveKind::kAllToAll},
                           {"sendrecv", CollectiveKind::kSendReceive},
                           {"broadcast", CollectiveKind::kBroadcast},
                           {"bcast", CollectiveKind::kBroadcast},
                           {"reduce", CollectiveKind::kReduce},
                           {"scatter", CollectiveKind::kScatter},
                           {"gather", CollectiveKind::kGather},
                           {"send", CollectiveKind::kSendReceive},
                           {"recv", CollectiveKind::kSendReceive}};
  std::string letters;
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) continue;
    letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const Row& row : kRows) {
    if (letters.find(row.part) != std::string::npos) return row.kind;
  }
  return std::nullopt;
}

}  // namespace dltap::analyzer
