// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_OPTIONS_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_OPTIONS_H_

namespace workloads {

struct Options {
  int steps = 20;
  int batch = 0;
  bool capture = false;  // replay the step as a CUDA graph
  bool expect = false;   // print what a step calls, as JSON, and end
  bool cudnn_attention = false;
};

// Ends the program on --help and on a wrong option.
Options ParseOptions(int argc, char** argv, int default_batch,
                     bool has_attention = false);

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_OPTIONS_H_
