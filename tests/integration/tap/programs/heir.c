// SPDX-License-Identifier: Apache-2.0
// Brings a runtime for a library that was linked to none.
int Version(void);
int VersionOfHeir(void) { return Version(); }
