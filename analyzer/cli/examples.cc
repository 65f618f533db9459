// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "analyzer/cli/command.h"

namespace dltap::analyzer {
namespace {

struct Example {
  std::string_view command;
  std::string_view line;  // with what it does behind a #
};

// Shown by --help and the manual pages. A test parses each.
constexpr Example kExamples[] = {
    {"run", "dltap run -- python train.py"},
    {"run", "dltap run -o run1 --level host -- ./app --its-own-option"},
    {"run",
     "dltap run --gpu sim:h100-sxm --sim-clock virtual -- python train.py"},
    {"run", "dltap run -o run1 -- torchrun --nproc_per_node 8 train.py"},
    {"run", "dltap run --pack jobs -- torchrun --nproc_per_node 8 train.py"},
    {"report", "dltap report run1"},
    {"report", "dltap report --by kernel --top 20 run1"},
    {"report", "dltap report --window 0.2s..0.5s run1"},
    {"report", "dltap report --json run1   # all numbers, to a schema"},
    {"report", "dltap report trace.json.gz # of PyTorch's profiler"},
    {"report",
     "dltap report --advice run1 # what to try, and what that rests on"},
    {"report", "dltap report --html run1.html run1"},
    {"report", "dltap report jobs --run monday # ranks that dltap pack packed"},
    {"view", "dltap view run1"},
    {"diff", "dltap diff run1 run2"},
    {"diff", "dltap diff --by kernel run1 run2"},
    {"diff", "dltap diff --fail-on 'step_ms>3%' --markdown - run1 run2"},
    {"ci", "dltap ci --update --gpu h100-sxm -- python train.py"},
    {"ci", "dltap ci --gpu h100-sxm -- python train.py"},
    {"export", "dltap export --format chrome -o run1.json run1"},
    {"predict", "dltap predict --ops ops.csv --gpu l4"},
    {"predict", "dltap predict --faster conv=2 run1"},
    {"predict", "dltap predict --scaling run1 --gradients 102MB"},
    {"info", "dltap info run1"},
    {"info", "dltap info --json run1"},
    {"check", "dltap check run1           # 0: whole, 1: something is lost"},
    {"dump", "dltap dump --limit 100 run1"},
    {"dump", "dltap dump --canonical run1"},
    {"pack", "dltap pack run1            # makes run1.dltappack"},
    {"pack", "dltap pack -d run1.dltappack"},
    {"pack", "dltap pack --parquet jobs --run monday run1"},
    {"query", "dltap query --list"},
    {"query", "dltap query jobs late --set top=5"},
    {"query", "dltap query --engine spark --master local[4] jobs late"},
    {"query", "dltap query --replay jobs --set run=monday"},
    {"query", "dltap query --replay straggler_AR.parquet"},
    {"query",
     "dltap query jobs 'SELECT class, sum(gpu_ns) FROM classes GROUP BY 1'"},
    {"doctor", "dltap doctor -- python train.py"},
    {"doctor", "dltap doctor --json"},
    {"ctl", "dltap ctl 4711 status"},
    {"ctl", "dltap ctl 4711 snapshot -o last-minute --last 60"},
    {"lib", "LD_PRELOAD=$(dltap lib) python train.py"},
    {"completion",
     "dltap completion bash > ~/.local/share/bash-completion/"
     "completions/dltap"},
    {"completion", "source <(dltap completion zsh)"},
    {"completion", "dltap completion fish | source"},
    {"help", "dltap help report"},
    {"help", "dltap help --manual run | man -l -"},
    {"help", "dltap help --write-share ~/.local/share"},
};

}  // namespace

std::vector<std::string> ExamplesOf(std::string_view command) {
  std::vector<std::string> lines;
  for (const Example& example : kExamples) {
    if (example.command == command) lines.emplace_back(example.line);
  }
  return lines;
}

}  // namespace dltap::analyzer
