// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/command_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

std::string TextOf(std::vector<std::string> command) {
  return CommandText("python", command, false);
}

TEST(CommandLineTest, ProgramByBaseNameScriptAsGiven) {
  EXPECT_EQ(
      TextOf({"/opt/venv/bin/python", "../train/resnet.py", "--batch", "64"}),
      "python ../train/resnet.py --batch 64");
  EXPECT_EQ(TextOf({"python", "-m", "torch.distributed.run", "train.py"}),
            "python -m torch.distributed.run train.py");
}

TEST(CommandLineTest, ProgramAloneWithoutArguments) {
  EXPECT_EQ(TextOf({}), "python");
  EXPECT_EQ(CommandText("", {}, false), "");
}

TEST(CommandLineTest, WordsThatWouldRunTogetherAreQuoted) {
  EXPECT_EQ(TextOf({"a.out", "two words", "", "it's"}),
            "a.out 'two words' '' \"it's\"");
}

TEST(CommandLineTest, CodeBecomesOneLine) {
  EXPECT_EQ(TextOf({"python", "-c", "import torch\nprint(torch)"}),
            "python -c 'import torch print(torch)'");
}

TEST(CommandLineTest, TitleThatAProgramGaveItselfStaysWhole) {
  EXPECT_EQ(TextOf({"ray::train /data/a"}), "ray::train /data/a");
}

TEST(CommandLineTest, BytesThatAreNoTextAreMadeVisible) {
  EXPECT_EQ(TextOf({"python", "\xff\x1b[2J.py"}), "python \uFFFD\uFFFD[2J.py");
}

TEST(CommandLineTest, LongArgumentsKeepBothEnds) {
  const std::string path = "/data/" + std::string(200, 'x') + "/train.py";
  const std::string text = TextOf({"python", path});
  EXPECT_LE(DisplayWidth(text), 80u);
  EXPECT_TRUE(text.starts_with("python /data/xxx")) << text;
  EXPECT_TRUE(text.ends_with("xx/train.py")) << text;
}

TEST(CommandLineTest, LongLinesLoseTheirEnd) {
  std::vector<std::string> command = {"python", "train.py"};
  for (int i = 0; i < 100; ++i) command.push_back("--option");
  const std::string text = TextOf(command);
  EXPECT_TRUE(text.starts_with("python train.py --option --option")) << text;
  EXPECT_TRUE(text.ends_with("--option …")) << text;
  EXPECT_LE(DisplayWidth(text), 100u);
  EXPECT_TRUE(WholeCommandText("python", command, false)
                  .ends_with("--option --option"));
}

TEST(CommandLineTest, CutTraceSaysSo) {
  EXPECT_EQ(CommandText("python", {"python", "train.p"}, true),
            "python train.p …");
}

TEST(CommandLineTest, OtherCommandsOfTheRunAreCounted) {
  Summary summary;
  summary.processes.resize(4);
  summary.processes[0].command = {"python", "train.py"};
  summary.processes[1].command = {"python", "train.py"};
  EXPECT_EQ(CommandsText(summary), "python train.py");
  summary.processes[2].command = {"python", "server.py"};
  EXPECT_EQ(CommandsText(summary), "python train.py (and 1 other command)");
  summary.processes[3].program = "worker";
  EXPECT_EQ(CommandsText(summary), "python train.py (and 2 other commands)");
}

TEST(CommandLineTest, CommandWithGpuWorkIsTheOneOfTheRun) {
  Summary summary;
  summary.processes.resize(2);
  summary.processes[0].command = {"torchrun", "train.py"};
  summary.processes[1].command = {"python", "train.py"};
  summary.processes[1].has_gpu_work = true;
  EXPECT_EQ(CommandsText(summary), "python train.py (and 1 other command)");
}

}  // namespace
}  // namespace dltap::analyzer
