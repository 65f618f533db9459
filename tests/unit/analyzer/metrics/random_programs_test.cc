// SPDX-License-Identifier: Apache-2.0
// Programs made by chance, whose number of iterations is known, go through the
// search for steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "analyzer/metrics/steps/loop_finder.h"
#include "analyzer/metrics/steps/step_parts.h"
#include "analyzer/metrics/steps/training_steps.h"
#include "tests/unit/analyzer/metrics/token_text.h"

namespace dltap::analyzer {
namespace {

constexpr int kPrograms = 300;

// A model of blocks; each block repeats a layer of a few kernels.
class Model {
 public:
  explicit Model(std::mt19937& random) : random_(random) {
    const int blocks = Draw(1, 3);
    for (int b = 0; b < blocks; ++b) {
      std::string layer;
      const int kernels = Draw(2, 5);
      for (int k = 0; k < kernels; ++k) {
        if (k % 2 == 0) layer += '(';
        layer += static_cast<char>('a' + Draw(0, 12));
      }
      layers_.push_back(layer);
      times_.push_back(Draw(1, 8));
    }
    varies_ = Draw(0, 3) == 0;
    updates_ = Repeat("UV", Draw(1, 6));
  }

  int Draw(int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random_);
  }

  std::string Forward() {
    std::string out = "(e";
    for (size_t b = 0; b < layers_.size(); ++b) {
      last_[b % 3] = times_[b] + (varies_ ? Draw(0, times_[b]) : 0);
      out += Repeat(layers_[b], last_[b % 3]);
    }
    return out + "(hq";
  }

  // As often as the last pass forward went through each layer.
  std::string Backward() const {
    std::string out = "r)h";
    for (size_t b = layers_.size(); b-- > 0;) {
      std::string layer = layers_[b];
      std::replace(layer.begin(), layer.end(), '(', ')');
      out += Repeat(layer + layer, last_[b % 3]);
    }
    return out + ")e";
  }

  const std::string& updates() const { return updates_; }

 private:
  std::mt19937& random_;
  std::vector<std::string> layers_;
  std::vector<int> times_;
  std::string updates_;
  bool varies_ = false;
  int last_[3] = {};
};

struct Program {
  std::string text;
  int steps = 0;
  int evaluations = 0;
};

std::string Prologue(Model& model) {
  return Repeat("<x", model.Draw(0, 20)) + Repeat("yz", model.Draw(0, 4));
}

Program Training(std::mt19937& random) {
  Model model(random);
  Program program{.text = Prologue(model), .steps = model.Draw(5, 40)};
  const int micro_batches = model.Draw(0, 2) == 0 ? model.Draw(2, 4) : 1;
  const int print_every = model.Draw(2, 10);
  const int evaluate_every = model.Draw(0, 1) == 0 ? model.Draw(8, 15) : 1000;
  for (int step = 1; step <= program.steps; ++step) {
    for (int i = 0; i < micro_batches; ++i) {
      program.text += "<" + model.Forward() + model.Backward();
    }
    program.text += model.updates();
    if (step % print_every == 0) program.text += "s>";
    if (step % evaluate_every != 0) continue;
    const int batches = model.Draw(2, 4);
    for (int i = 0; i < batches; ++i) {
      program.text += "<" + model.Forward() + ">";
    }
    ++program.evaluations;
  }
  return program;
}

Program Inference(std::mt19937& random) {
  Model model(random);
  Program program{.text = Prologue(model), .steps = model.Draw(5, 40)};
  const int print_every = model.Draw(2, 10);
  for (int step = 1; step <= program.steps; ++step) {
    program.text += "<" + model.Forward() + "p>";
    if (step % print_every == 0) program.text += "s>";
  }
  return program;
}

TEST(RandomProgramsTest, EveryStepOfATrainingIsFound) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    std::mt19937 random(seed);
    const Program program = Training(random);
    const auto tokens = TokensFromText(program.text);
    std::vector<TokenSpan> steps;
    int evaluations = 0;
    for (const TokenSpan& span : TrainingSteps(tokens).passes) {
      if (span.use == StepUse::kUsed) steps.push_back(span);
      if (span.use == StepUse::kEvaluation) ++evaluations;
    }
    EXPECT_EQ(steps.size(), program.steps) << seed << ": " << program.text;
    EXPECT_EQ(evaluations, program.evaluations) << seed << ": " << program.text;
    EXPECT_EQ(PartsPerStep(tokens, steps), 1) << seed << ": " << program.text;
  }
}

TEST(RandomProgramsTest, EveryPassOfAnInferenceIsFound) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    std::mt19937 random(seed);
    const Program program = Inference(random);
    EXPECT_EQ(LoopSteps(TokensFromText(program.text)).passes.size(),
              program.steps)
        << seed << ": " << program.text;
  }
}

}  // namespace
}  // namespace dltap::analyzer
