// SPDX-License-Identifier: Apache-2.0
#include "simgpu/nccl/setup.h"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <utility>

#include "simgpu/base/job_rank.h"
#include "simgpu/base/other_process.h"
#include "simgpu/nccl/mailbox.h"

namespace dltap::simgpu {
namespace {

// What every rank of a clique tells every other, once.
template <typename Fact>
class RollCall {
 public:
  RollCall(std::string prefix, int ranks, int rank, const Fact& own)
      : prefix_(std::move(prefix)), facts_(ranks), known_(ranks, false) {
    published_ =
        Publish(NameOf(rank), &own, sizeof own, static_cast<uint32_t>(ranks));
  }

  // True: all have answered.
  bool Ask() {
    for (size_t rank = 0; rank < facts_.size(); ++rank) {
      if (known_[rank]) continue;
      const auto message = Message::Open(NameOf(static_cast<int>(rank)));
      if (message == nullptr || message->bytes() < sizeof(Fact)) return false;
      std::memcpy(&facts_[rank], message->data(), sizeof(Fact));
      known_[rank] = true;
    }
    return true;
  }

  bool published() const { return published_; }
  const std::vector<Fact>& facts() const { return facts_; }

 private:
  std::string NameOf(int rank) const {
    return prefix_ + "-" + std::to_string(rank);
  }

  const std::string prefix_;
  bool published_ = false;
  std::vector<Fact> facts_;
  std::vector<bool> known_;
};

// Where a rank of the parent wants to go.
struct Wish {
  int32_t color;
  int32_t key;
};

ncclComm* NewCommunicator(int device, bool blocking,
                          const ncclConfig_t* config) {
  auto* comm = new ncclComm;
  comm->device = device;
  comm->blocking =
      config == nullptr || config->blocking == NCCL_CONFIG_UNDEF_INT
          ? blocking
          : config->blocking != 0;
  comm->async_error = ncclInProgress;
  return comm;
}

// What an id holds: the name that all its ranks share, and who made it.
struct IdContent {
  uint64_t words[2];
  int32_t pid;
};

IdContent ContentOf(const ncclUniqueId& id) {
  IdContent content;
  std::memcpy(&content, id.internal, sizeof content);
  return content;
}

std::string CliqueOf(const IdContent& content) {
  char text[40];
  std::snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64,
                content.words[0], content.words[1]);
  return text;
}

// All ranks meet under the communicator's name. `root`: who listens for them in
// NCCL; a rank that comes when it has ended is alone.
void MeetPeers(ncclComm& comm, const Peer& root = {}) {
  comm.setup = nullptr;
  // What others wrote under that name is left over.
  if (HasEnded(root)) {
    comm.async_error = ncclRemoteError;
    return;
  }
  auto roll =
      std::make_shared<RollCall<Peer>>(comm.id + "-i", comm.ranks, comm.rank,
                                       Peer{.pid = getpid(),
                                            .device = comm.device,
                                            .job_rank = RankOf(comm.device),
                                            .job_start_ns = JobStart()});
  if (!roll->published()) {
    comm.async_error = ncclSystemError;
    return;
  }
  comm.setup = [roll, &comm, root] {
    if (!roll->Ask()) {
      if (!HasEnded(root) || roll->Ask()) return false;
      comm.async_error = ncclRemoteError;
      return true;
    }
    comm.peers = roll->facts();
    for (const Peer& peer : comm.peers) LearnJobStart(peer.job_start_ns);
    return true;
  };
}

// Ranks of the same colour, ordered by key, then by rank of the parent.
void TakePlace(ncclComm& comm, const std::string& parent_id,
               const std::vector<Wish>& wishes, int own, uint64_t split) {
  const Wish& wish = wishes[own];
  comm.ranks = 0;
  comm.rank = 0;
  for (int other = 0; other < static_cast<int>(wishes.size()); ++other) {
    if (wishes[other].color != wish.color) continue;
    ++comm.ranks;
    const bool before = wishes[other].key < wish.key ||
                        (wishes[other].key == wish.key && other < own);
    if (before) ++comm.rank;
  }
  comm.id = parent_id + ".s" + std::to_string(split) + "." +
            std::to_string(wish.color);
}

}  // namespace

// A zombie has ended too.
bool HasEnded(const Peer& peer) {
  if (peer.pid == 0) return false;
  const std::string path = "/proc/" + std::to_string(peer.pid) + "/stat";
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return HasEnded(peer.pid);
  char text[256] = {};
  const size_t bytes = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  // "pid (name) state": the name may hold anything.
  const size_t name_end = std::string_view(text, bytes).rfind(") ");
  return name_end != std::string_view::npos && text[name_end + 2] == 'Z';
}

ncclResult_t CheckUsable(ncclComm* comm) {
  if (comm == nullptr || comm->aborted) return ncclInvalidArgument;
  const ncclResult_t state = comm->async_error.load();
  return state == ncclInProgress ? ncclInvalidArgument : state;
}

void Randomise(ncclUniqueId* id) {
  std::random_device random;
  std::memset(id, 0, sizeof *id);
  IdContent content = {};
  for (uint64_t& word : content.words) {
    word = uint64_t{random()} << 32 | random();
  }
  content.pid = getpid();
  std::memcpy(id->internal, &content, sizeof content);
}

ncclComm* JoinClique(const ncclUniqueId& id, int ranks, int rank, int device,
                     const ncclConfig_t* config) {
  const IdContent content = ContentOf(id);
  ncclComm* comm = NewCommunicator(device, true, config);
  comm->id = CliqueOf(content);
  comm->ranks = ranks;
  comm->rank = rank;
  LearnRank(device, rank, ranks);
  MeetPeers(*comm, {.pid = content.pid});
  return comm;
}

ncclComm* SplitOff(ncclComm& parent, int color, int key,
                   const ncclConfig_t* config) {
  const uint64_t split = parent.splits++;
  auto roll = std::make_shared<RollCall<Wish>>(
      parent.id + "-s" + std::to_string(split), parent.ranks, parent.rank,
      Wish{color, key});
  ncclComm* comm = NewCommunicator(parent.device, parent.blocking, config);
  comm->setup = [roll, comm, own = parent.rank, id = parent.id, split] {
    if (!roll->Ask()) return false;
    if (roll->facts()[own].color == NCCL_SPLIT_NOCOLOR) return true;
    TakePlace(*comm, id, roll->facts(), own, split);
    MeetPeers(*comm);
    return comm->setup == nullptr;
  };
  return comm;
}

ncclComm* ShrinkFrom(ncclComm& parent, const std::vector<int>& excluded,
                     const ncclConfig_t* config) {
  const auto is_out = [&](int rank) {
    return std::find(excluded.begin(), excluded.end(), rank) != excluded.end();
  };
  int ranks = 0;
  int own = 0;
  for (int rank = 0; rank < parent.ranks; ++rank) {
    if (is_out(rank)) continue;
    ++ranks;
    if (rank < parent.rank) ++own;
  }
  ncclComm* comm = NewCommunicator(parent.device, parent.blocking, config);
  comm->id = parent.id + ".x" + std::to_string(parent.shrinks++);
  comm->ranks = ranks;
  comm->rank = own;
  MeetPeers(*comm);
  return comm;
}

bool Progress(ncclComm& comm) {
  const std::lock_guard lock(comm.mutex);
  if (comm.aborted) return true;
  while (comm.setup != nullptr) {
    const std::function<bool()> step = comm.setup;  // may replace itself
    if (step()) {
      comm.setup = nullptr;
      ncclResult_t in_progress = ncclInProgress;
      comm.async_error.compare_exchange_strong(in_progress, ncclSuccess);
      break;
    }
    return false;
  }
  return true;
}

}  // namespace dltap::simgpu
