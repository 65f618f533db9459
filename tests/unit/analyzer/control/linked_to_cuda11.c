// SPDX-License-Identifier: Apache-2.0
int dltap_linked_to_cuda11(void);
int dltap_linked_to_cuda11(void) { return 0; }
