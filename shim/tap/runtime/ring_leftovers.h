// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_RING_LEFTOVERS_H_
#define DLTAP_SHIM_TAP_RUNTIME_RING_LEFTOVERS_H_

namespace dltap::shim {

// Ring files that killed processes of this user have left in shared memory,
// `most` of them: each is moved beside its data file, where readers find it, or
// removed if that folder is gone. Whose process is gone shows by its pid and
// start time, in this space of ids; what has those of this process, but is not
// `own`, was left by the program that execed this one. Where the folder's path
// counts in another space of files, or it is not known in which, the file is
// marked and stays for a day: its trace may be read there. Collector only.
void MoveLeftoverRings(const char* own, int most);

// The same for the file of that path, in whose place the own one is to come.
bool MoveLeftoverRing(const char* path);

// Shared memory holds so many files that it may be filling up with what
// processes leave that end by _exit, a process pool's, say.
bool ManyMayBeLeft();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_RING_LEFTOVERS_H_
