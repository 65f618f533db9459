// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_CALL_SIGNATURE_H_
#define DLTAP_ANALYZER_METRICS_STEPS_CALL_SIGNATURE_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// One outermost call that put work on a device, reduced to what repeats from
// step to step: what it does, without its sizes.
struct CallToken {
  uint32_t signature;  // dense: equal calls, equal numbers
  int64_t begin_ns;
  int64_t end_ns;
  uint32_t kernels = 0;     // that it started
  bool computes = false;    // it started a kernel, not only copies or memsets
  bool product = false;     // conv, RNN, attention, GEMM, embedding, MoE
  bool forward = false;     // its first product is of the forward pass, or, in
                            // a replay, any
  bool backward = false;    // some of its work is of the backward pass
  bool update = false;      // some of its work is of the update
  bool reads_rows = false;  // it reads an embedding's, forward
  bool optimizer = false;   // ... by kernels that only optimizers run
  bool inner_product = false;  // some of it is one of two vectors
  bool largest_entry = false;  // some of it finds the largest of many numbers
  bool draws = false;          // some of it draws random numbers
  bool communicates = false;   // some of it is with other devices
  bool h2d = false;            // it copies to the device
  bool d2h = false;            // it copies from the device
  uint64_t h2d_bytes = 0;      // of the largest copy to the device
  uint64_t d2h_bytes = 0;      // of the largest one from it
  bool whole = false;          // it replays a graph
  bool after_wait = false;     // the host waited for the device before it
  bool trial = false;    // trials ran between the token before and this one
  uint32_t run = 0;      // of a module of XLA's; 0: none, or not known
  CallId call = {};      // none: not known
  DeviceId device = {};  // of its first work
};

// Whether a call copies a value to the device, no batch. Not known: false.
bool CopiesAValue(const CallToken& token);

// Whether a class is the arithmetic that a model is made of.
bool IsProduct(LayerClass layer_class);

// All such calls of a process from `from_ns` on, but trials, in the order in
// which they began. Rows of copies to the device are one token.
std::vector<CallToken> CallTokens(const TraceModel& model,
                                  const Process& process,
                                  const ProcessAttribution& attribution,
                                  int64_t from_ns);

// Numbers calls of one signature apart that work on different weights, where
// the trace has the addresses of operands: a layer's weights stay where they
// are from pass to pass. Calls without such an address keep their signature.
void TellWeightsApart(const TraceModel& model, const Process& process,
                      std::vector<CallToken>& tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_CALL_SIGNATURE_H_
