// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "analyzer/advice/rules.h"
#include "analyzer/advice/saving.h"

// Recurrent cells in a loop: each step of the sequence is a row of small
// kernels, where cuDNN has one for all gates. At worst a quarter of the gates'
// time stays, and of the gaps what the host did not measurably make. At best
// all gaps go, and so does what of the gates' gradients was not told to be
// theirs.
namespace dltap::analyzer {
namespace {

constexpr double kLeastShare = 0.10;  // of the step

// Of the five products of a time step, two forward and three backward, two are
// on cuDNN's chain, each with a kernel of the gates: four kernels, each of
// which waits 7.5 us for the one before (opmodel/rnn_chain.cc).
constexpr double kChainNs = 4 * 7500.0 / 5;

constexpr Wording kAct = {
    .any = "a recurrent layer of cuDNN",
    .torch =
        "nn.LSTM, nn.GRU or nn.RNN (cuDNN); for other cells "
        "torch.compile or CUDA graphs",
    .tensorflow =
        "keras.layers.LSTM or GRU with the arguments that cuDNN takes",
    .jax = "jax.experimental.rnn (cuDNN)",
    .mxnet = "gluon.rnn.LSTM or GRU (cuDNN)"};

// cuDNN's layer is called for one time step after the other.
constexpr Wording kActOnCalls = {
    .any =
        "the whole sequence to the recurrent layer at once, where no step "
        "waits for the output of the one before",
    .torch =
        "the whole sequence in one call of nn.LSTM or nn.GRU, where no "
        "step waits for the output of the one before"};

const ClassSummary& Of(const Facts& facts, LayerClass layer_class) {
  return facts.totals.classes[static_cast<size_t>(layer_class)];
}

bool HasHostTimes(const Facts& facts) {
  return std::none_of(facts.summary.processes.begin(),
                      facts.summary.processes.end(),
                      [](const ProcessSummary& process) {
                        return process.host_clock == HostClock::kFixedCosts;
                      });
}

// The host's part of the gaps, half of which stays at worst: one call is left
// where there were hundreds.
double LaunchingNs(const Facts& facts) {
  if (!HasHostTimes(facts)) return 0;
  double ns = 0;
  for (const IdleCause cause :
       {IdleCause::kLibrary, IdleCause::kLaunch, IdleCause::kFramework}) {
    ns += facts.Step(
        Of(facts, LayerClass::kRnn).idle_ns[static_cast<size_t>(cause)]);
  }
  return ns / 2;
}

double IdleNs(const Facts& facts) {
  double ns = 0;
  for (const int64_t cause_ns : Of(facts, LayerClass::kRnn).idle_ns) {
    ns += facts.Step(cause_ns);
  }
  return ns;
}

// What may belong to the cells: other pointwise work, and weights' gradients.
double BesideCellsNs(const Facts& facts) {
  double ns = facts.Step(Of(facts, LayerClass::kGemm).gpu_ns) / 2;
  for (const LayerClass c :
       {LayerClass::kActivation, LayerClass::kElementwise}) {
    ns += facts.Step(Of(facts, c).gpu_ns - Of(facts, c).of(Direction::kUpdate));
  }
  return ns + facts.Step(facts.totals.in(DeviceState::kIdle)) - IdleNs(facts);
}

void SetGain(const Facts& facts, Advice& advice) {
  advice.gain_low_ns += LaunchingNs(facts);
  advice.gain_high_ns += IdleNs(facts) + BesideCellsNs(facts);
  advice.gain_high_ns = std::min(advice.gain_high_ns, facts.step_ns);
  advice.layer_class = LayerClass::kRnn;
  advice.claims.With(LayerClass::kRnn);
  advice.claimed_ns = facts.step_ns;
}

// What cuDNN's layer takes at worst beside the work of the cells.
double ChainNs(const Facts& facts) {
  return kChainNs * facts.Step(Of(facts, LayerClass::kRnn).calls);
}

void AdviseOnCells(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kCellLoop);
  const double ns = facts.Step(work.ns);
  const double idle_ns = IdleNs(facts);
  if (facts.ShareOfStep(ns + idle_ns) < kLeastShare || work.ns == 0) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kRnn));
  advice.gain_low_ns = std::max(0.0, advice.gain_low_ns - ChainNs(facts));
  SetGain(facts, advice);
  advice.act = kAct.For(facts.framework);
  advice.why = absl::StrFormat(
      "recurrent cells run as %.0f single kernels a step, %.2f ms, and %.2f ms "
      "idle before them; no cuDNN RNN call",
      facts.Step(work.count), ns * 1e-6, idle_ns * 1e-6);
  out.push_back(std::move(advice));
}

// Who generates waits for each output.
void AdviseOnCalls(const Facts& facts, std::vector<Advice>& out) {
  const AvoidableSums& work = facts.totals.avoidable.of(Avoidable::kCellCalls);
  const double ns = facts.Step(work.ns);
  if (facts.ShareOfStep(ns) < kLeastShare) return;
  if (Of(facts, LayerClass::kRnn).backward_ns() == 0) return;
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kRnn));
  SetGain(facts, advice);
  advice.act = kActOnCalls.For(facts.framework);
  advice.why = absl::StrFormat(
      "cuDNN's recurrent layer is called for single time steps: %.0f kernels a "
      "step, %.2f ms",
      facts.Step(work.count), ns * 1e-6);
  out.push_back(std::move(advice));
}

}  // namespace

void AdviseRnnLoop(const Facts& facts, std::vector<Advice>& out) {
  AdviseOnCells(facts, out);
  AdviseOnCalls(facts, out);
}

}  // namespace dltap::analyzer
