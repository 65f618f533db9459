// SPDX-License-Identifier: Apache-2.0
// A library that looks like Python 3.11 to those who ask for its threads, of
// which it has none.
#include <stddef.h>
#include <stdint.h>

const uintptr_t PyCode_Type = 0, PyUnicode_Type = 0, PyBytes_Type = 0,
                PyCell_Type = 0;

const char* Py_GetVersion(void) { return "3.11.2 (main)"; }
void* PyGILState_GetThisThreadState(void) { return NULL; }
int _Py_IsFinalizing(void) { return 0; }
void* PyInterpreterState_Main(void) { return NULL; }
void* PyInterpreterState_ThreadHead(void* interpreter) { return interpreter; }
