// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_FILES_H_
#define DLTAP_SHIM_TAP_RUNTIME_FILES_H_

#include <sys/stat.h>

#include <cstdint>

namespace dltap::shim {

// Creates a file of our own: new, never through a link, 0600, closed on exec,
// its descriptor moved out of the range that programs count on. -1 and errno.
int CreateOwnFile(int dir_fd, const char* name);

// The same without a name: a process that is killed leaves none behind. Not all
// file systems have them.
int CreateNamelessFile(const char* folder);

// The descriptor with that or a higher number; `fd` itself when there is none.
int MoveDescriptorUp(int fd);
// Whether it has one that programs count on: they may have few.
bool IsAmongThePrograms(int fd);

// Allocates the bytes on disk. 0 or errno. Leaves the file's size unless
// `extend`: then the bytes are zeros that may be mapped, also where the file
// system cannot allocate; without it 0 there, since writes will tell.
int AllocateBytes(int fd, uint64_t offset, uint64_t bytes, bool extend);

// The longest file that the process may write; beyond it a write is SIGXFSZ.
uint64_t FileSizeLimit();

uint64_t InodeOf(int fd);  // 0: not open
uint64_t InodeOf(const struct stat& status);

// Closes what is still the file that was opened: the program may have closed it
// and given the number to one of its own. `*fd` is -1 then.
void CloseIfOwn(int* fd, uint64_t inode);

// Identifies the space that process ids are counted in. 0: not known, or /proc
// tells of another one.
uint32_t PidNamespace();

// In which space of files the calling thread's paths count: a hash of its mount
// namespace and root directory, different for different ones but for one pair
// in four thousand millions. 0: not known.
uint32_t FileSpace();

// Shared mappings of files there are slow, refused or not coherent.
bool IsNetworkFileSystem(int dir_fd);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_FILES_H_
