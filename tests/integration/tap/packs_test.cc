// SPDX-License-Identifier: Apache-2.0
// Addresses of the tensors that a graph of cuDNN runs on reach the trace.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/integration/tap/tapped_program.h"
#include "tests/support/int_arg.h"

namespace dltap {
namespace {

// x, w and y of each execution, by process.
using Operands = std::vector<std::vector<int64_t>>;

std::vector<Operands> ExecutedIn(const analyzer::TraceModel& model) {
  std::vector<Operands> out;
  for (const analyzer::Process& process : model.processes) {
    Operands& operands = out.emplace_back();
    for (const analyzer::Call& call : process.calls) {
      if (model.entry_points[call.entry.value()].symbol !=
          "cudnnBackendExecute") {
        continue;
      }
      std::vector<int64_t> of_call;
      for (const char* name : {"node_x", "node_w", "node_y"}) {
        of_call.push_back(IntArg(model, process, call, name).value_or(-1));
      }
      operands.push_back(of_call);
    }
  }
  return out;
}

const Operands kOfMake = {{0x1000, 0x1001, 0x1002}};

TEST(TapPacksTest, WhatIsMadeBeforeTheSessionIsKnownInIt) {
  TappedProgram program("packs");
  EXPECT_EQ(program.Run({"early"}).exit_code(), 0);
  EXPECT_EQ(ExecutedIn(program.Read()), std::vector<Operands>{kOfMake});
  EXPECT_EQ(Lost(program.Read(), "operand_unknown"), 0u);
}

TEST(TapPacksTest, WhatIsMadeWhileNothingIsRecordedIsKnownLater) {
  TappedProgram program("packs");
  program.With("DLTAP_START=off");
  EXPECT_EQ(program.Run({"window"}).exit_code(), 0);
  EXPECT_EQ(ExecutedIn(program.Read()), std::vector<Operands>{kOfMake});
}

TEST(TapPacksTest, AForkedChildHasItsParentsPacks) {
  TappedProgram program("packs");
  EXPECT_EQ(program.Run({"fork"}).exit_code(), 0);
  const std::vector<Operands> seen = ExecutedIn(program.Read());
  const Operands of_child = {{0x7000, 0x7001, 0x7002}};
  EXPECT_EQ(std::multiset(seen.begin(), seen.end()),
            (std::multiset<Operands>{kOfMake, of_child}));
}

TEST(TapPacksTest, AKilledProgramLeavesThem) {
  TappedProgram program("packs");
  EXPECT_EQ(program.Run({"kill"}).signal_number(), 9);
  EXPECT_EQ(ExecutedIn(program.Read()), std::vector<Operands>{kOfMake});
}

TEST(TapPacksTest, AFailedExecutionHasNone) {
  TappedProgram program("packs");
  program.Run({"fails"});
  const std::vector<Operands> seen = ExecutedIn(program.Read());
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0], (Operands{{0, 0, 0}, kOfMake[0]}));
}

// Each thread's addresses are its own, 16 apart.
TEST(TapPacksTest, ThreadsThatLockOnePackHaveTheirOwnPointers) {
  TappedProgram program("packs");
  EXPECT_EQ(program.Run({"shared"}).exit_code(), 0);
  const std::vector<Operands> seen = ExecutedIn(program.Read());
  ASSERT_EQ(seen.size(), 1u);
  std::set<int64_t> inputs;
  for (const std::vector<int64_t>& operands : seen[0]) {
    EXPECT_EQ(operands[0] % 16, 0);
    EXPECT_EQ(operands[1], operands[0] + 1);
    EXPECT_EQ(operands[2], operands[0] + 2);
    inputs.insert(operands[0]);
  }
  EXPECT_EQ(inputs.size(), 2000u);
}

TEST(TapPacksTest, PointersCanBeLeftOut) {
  TappedProgram program("packs");
  program.With("DLTAP_POINTERS=0");
  program.Run({"early"});
  EXPECT_EQ(ExecutedIn(program.Read()), (std::vector<Operands>{{{0, 0, 0}}}));
}

}  // namespace
}  // namespace dltap
