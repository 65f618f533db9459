// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/shareable_handle.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace dltap::simgpu {
namespace {

// A message of one record and room for one descriptor.
struct Message {
  explicit Message(ShareableRecord* record)
      : data{record, sizeof(*record)}, header{} {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
  }
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec data;
  msghdr header;
};

}  // namespace

int MakeShareable(const ShareableRecord& record, const MemoryFile& file) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  ShareableRecord copy = record;
  Message message(&copy);
  cmsghdr* rights = CMSG_FIRSTHDR(&message.header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  const int descriptor = file.descriptor();
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(descriptor));
  const bool sent =
      sendmsg(ends[1], &message.header, MSG_NOSIGNAL | MSG_DONTWAIT) ==
      static_cast<ssize_t>(sizeof(record));
  close(ends[1]);
  if (sent) return ends[0];
  close(ends[0]);
  return -1;
}

std::shared_ptr<MemoryFile> ReadShareable(int descriptor, uint32_t magic,
                                          ShareableRecord* record) {
  Message message(record);
  const ssize_t received = recvmsg(descriptor, &message.header,
                                   MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  int carried = -1;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message.header);
       received >= 0 && part != nullptr;
       part = CMSG_NXTHDR(&message.header, part)) {
    if (part->cmsg_type != SCM_RIGHTS) continue;
    std::memcpy(&carried, CMSG_DATA(part), sizeof(carried));
  }
  if (carried < 0) return nullptr;
  if (received != static_cast<ssize_t>(sizeof(*record)) ||
      record->magic != magic) {
    close(carried);
    return nullptr;
  }
  return MemoryFile::OfDescriptor(carried);
}

}  // namespace dltap::simgpu
