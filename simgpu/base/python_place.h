// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_PYTHON_PLACE_H_
#define DLTAP_SIMGPU_BASE_PYTHON_PLACE_H_

#include <string>

namespace dltap::simgpu {

// Where in the program's Python code this thread is: "train.py:31", of the
// innermost frame that is no installed package's. Empty: it runs no Python.
// Takes the interpreter's lock: the caller must hold none of ours.
std::string PythonPlace();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_PYTHON_PLACE_H_
