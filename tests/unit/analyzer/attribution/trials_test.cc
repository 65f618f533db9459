// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/trials/trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using ::testing::Each;

// Writes calls of one thread, 10 us apart, each with its activity.
class Program {
 public:
  Program& Event() {
    text_ += "call t=" + Span(2) + " cudaEventRecord stream=0x0 event=0x1\n";
    at_ += 10;
    return *this;
  }
  Program& Kernel(const std::string& name) { return Kernel(0, name); }
  Program& Kernel(int thread, const std::string& name) {
    Call("cudaLaunchKernel launches=" + name, thread);
    return Activity("kernel", "name=" + name);
  }
  // A kernel that writes 4096 bytes at most.
  Program& SmallFill() {
    Call("cudaLaunchKernel launches=FillFunctor");
    return Activity("kernel", "grid=2,1,1 block=128,1,1 name=FillFunctor");
  }
  Program& Fill(int bytes = 50'000'000) {
    Call("cudaMemsetAsync count=" + std::to_string(bytes));
    return Activity("memset", "bytes=" + std::to_string(bytes));
  }
  Program& Gemm(int m, const std::string& kernel) {
    const std::string begin = std::to_string(at_) + "us";
    text_ += "call t=" + Span(4) + " cublasSgemm_v2 m=" + std::to_string(m) +
             " n=64 k=64\n";
    text_ += "launchapi t=" + std::to_string(at_ + 1) + ".." +
             std::to_string(at_ + 2) + "us corr=" + std::to_string(++corr_) +
             " ext=" + begin + "\n";
    return Activity("kernel", "name=" + kernel);
  }

  Program& Plan(const std::string& address) {
    text_ += "call t=" + Span(4) +
             " cudnnBackendExecute executionPlan=" + address +
             " operation=1\nlaunchapi t=" + std::to_string(at_ + 1) + ".." +
             std::to_string(at_ + 2) + "us corr=" + std::to_string(++corr_) +
             " ext=" + std::to_string(at_) + "us\n";
    return Activity("kernel", "name=implicit_gemm");
  }

  // An operator of an imported trace, with the kernels that it launches; "|"
  // records an event.
  Program& Operator(const std::vector<std::string>& kernels) {
    const int begin = at_;
    for (const std::string& kernel : kernels) {
      kernel == "|" ? Event() : Kernel(kernel);
    }
    text_ += "range t=" + std::to_string(begin) + ".." + std::to_string(at_) +
             "us thread=0 kind=op name=\"aten::_cudnn_rnn\" operation=1\n";
    return *this;
  }

  // Of each activity, whether it is a trial: 't', else '.'.
  std::string Trials() const {
    const TraceModel model = TraceFromText(
        "process framework=torch\ndevice 0 name=gpu\n"
        "thread 0 tid=1\nthread 1 tid=2 name=pt_autograd_0\n"
        "operation 1 rnn_forward batch=8 hidden=64\n" +
        text_);
    const Attribution attribution = Attribute(model);
    std::string out;
    for (const Attributed& a : attribution.processes[0].activities) {
      out += a.autotune ? 't' : '.';
    }
    return out;
  }

 private:
  std::string Span(int us) const {
    return std::to_string(at_) + ".." + std::to_string(at_ + us) + "us";
  }
  void Call(const std::string& what, int thread = 0) {
    const std::string on = " thread=" + std::to_string(thread) + " ";
    text_ += "call t=" + Span(2) + on + what + "\nlaunchapi t=" + Span(1) + on +
             "corr=" + std::to_string(++corr_) + "\n";
  }
  Program& Activity(const std::string& kind, const std::string& what) {
    text_ += kind + " t=" + std::to_string(at_ + 3) + ".." +
             std::to_string(at_ + 8) +
             "us device=0 corr=" + std::to_string(corr_) + " " + what + "\n";
    at_ += 10;
    return *this;
  }

  std::string text_;
  int at_ = 0;
  int corr_ = 0;
};

Program& Benchmark(Program& program, const std::string& kernel, int times) {
  program.Kernel(kernel).Fill().Kernel(kernel);  // warms up
  for (int i = 0; i < times; ++i) program.Fill().Event().Kernel(kernel).Event();
  return program;
}

TEST(TrialsTest, TimedRepeatsAfterAClearedCacheAreTrials) {
  Program program;
  program.Kernel("a");
  Benchmark(program, "variant_1", 3);
  Benchmark(program, "variant_2", 3);
  for (int step = 0; step < 3; ++step) program.Kernel("variant_1").Kernel("b");
  EXPECT_EQ(program.Trials(), ".tttttttttttttttttt......");
}

TEST(TrialsTest, AStepThatIsTimedIsNoTrial) {
  Program program;
  for (int step = 0; step < 5; ++step) {
    program.Fill().Event();
    for (const char* kernel : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
      program.Kernel(kernel);
    }
    program.Event();
  }
  EXPECT_THAT(program.Trials(), Each('.'));
}

TEST(TrialsTest, ATimedStepWithABackwardPassOnAnotherThreadIsNoTrial) {
  Program program;
  for (int step = 0; step < 5; ++step) {
    program.Fill().Event().Kernel("forward");
    program.Kernel(1, "backward").Kernel("update").Event();
  }
  EXPECT_THAT(program.Trials(), Each('.'));
}

TEST(TrialsTest, ASmallFillClearsNoCache) {
  Program program;
  for (int i = 0; i < 5; ++i) {
    program.SmallFill().Event().Kernel("a").Event();
  }
  for (int i = 0; i < 5; ++i) program.Kernel("b");
  EXPECT_THAT(program.Trials(), Each('.'));
}

TEST(TrialsTest, ABenchmarkOfRandomDataIsItsOwnWork) {
  Program program;
  program.Kernel("mine").Kernel("theirs").Kernel("compare");
  for (const char* kernel : {"mine", "theirs", "mine", "theirs"}) {
    program.Kernel("distribution_elementwise_grid_stride_kernel");
    Benchmark(program, kernel, 5);
  }
  EXPECT_THAT(program.Trials(), Each('.'));
}

TEST(TrialsTest, TimingWithoutAClearedCacheIsTheProgramsOwn) {
  Program program;
  program.Kernel("a");
  for (int i = 0; i < 9; ++i) program.Event().Kernel("variant").Event();
  EXPECT_THAT(program.Trials(), Each('.'));
}

TEST(TrialsTest, SeveralImplementationsOfOneOperationAreTrials) {
  Program program;
  program.Gemm(64, "k1").Gemm(32, "k1").Gemm(32, "k2").Gemm(32, "k3");
  program.Gemm(32, "k2").Gemm(64, "k1");
  EXPECT_EQ(program.Trials(), ".ttt..");
}

TEST(TrialsTest, TwoTimedImplementationsAreTrialsAlsoAfterARunToWarmUp) {
  Program program;
  for (const char* plan : {"k1", "k2"}) {
    program.Gemm(32, plan).Event().Gemm(32, plan).Event();
  }
  program.Gemm(32, "k1").Gemm(64, "k1");
  EXPECT_EQ(program.Trials(), "tttt..");
}

TEST(TrialsTest, TimedPlansMayRunTheSameKernel) {
  Program program;
  for (const char* plan : {"0x10", "0x20"}) {
    program.Plan(plan).Event().Plan(plan).Event();
  }
  program.Plan("0x10").Gemm(64, "k1");
  EXPECT_EQ(program.Trials(), "tttt..");
}

TEST(TrialsTest, APlanThatIsTimedAgainAndAgainIsNoTrial) {
  Program program;
  for (int i = 0; i < 4; ++i) program.Plan("0x10").Event().Plan("0x10").Event();
  EXPECT_EQ(program.Trials(), "........");
}

TEST(TrialsTest, TwoImplementationsThatNobodyTimesAreNoTrials) {
  Program program;
  program.Gemm(32, "k1").Gemm(32, "k2").Gemm(32, "k1").Gemm(32, "k2");
  EXPECT_THAT(program.Trials(), Each('.'));
}

TEST(TrialsTest, KernelsOfOneImportedOperatorAreNoTrials) {
  Program program;
  for (int step = 0; step < 3; ++step) {
    program.Operator({"gemm_a", "gru_cell", "gemm_b", "gru_cell"});
    program.Kernel("multi_tensor_apply_sgd");
  }
  EXPECT_THAT(program.Trials(), Each('.'));
}

TEST(TrialsTest, WhatAnImportedOperatorTimesInsideIsATrial) {
  // Two gradients, two plans each; each runs once to warm up.
  Program program;
  program.Operator({"a", "|", "a", "|", "b", "|", "b", "|", "b", "c", "d",
                    "|", "c", "d", "|", "e", "|", "e", "|", "c", "d"});
  for (int step = 0; step < 3; ++step) program.Operator({"b", "c", "d"});
  EXPECT_EQ(program.Trials(), "tttt.tttttt...........");
}

TEST(TrialsTest, OneTimeInAnImportedOperatorIsTheProgramsOwn) {
  Program program;
  program.Operator({"a", "|", "b", "|", "c"});
  program.Event().Operator({"a", "b"}).Event();
  program.Event().Operator({"a", "b"}).Event();
  EXPECT_THAT(program.Trials(), Each('.'));
}

TEST(TrialsTest, EqualLayersAreNoTrials) {
  Program program;
  for (int layer = 0; layer < 6; ++layer) program.Gemm(32, "k1");
  EXPECT_THAT(program.Trials(), Each('.'));
}

TEST(TrialsTest, ChecksOfXlaMarkWhatLiesBetweenThem) {
  Program program;
  program.Kernel("a").Fill().Kernel("RepeatBufferKernelImpl").Kernel("g1");
  program.Kernel("DelayKernel").Kernel("g1").Kernel("RedzoneAllocatorKernel");
  program.Kernel("g1").Kernel("b");
  EXPECT_EQ(program.Trials(), ".tttttt..");
}

TEST(TrialsTest, AProgramThatOnlyTimesKernelsIsItsOwnWork) {
  Program program;
  for (int i = 0; i < 9; ++i) program.Fill().Event().Kernel("mine").Event();
  EXPECT_THAT(program.Trials(), Each('.'));
}

}  // namespace
}  // namespace dltap::analyzer
