// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace dltap::analyzer {
namespace {

constexpr std::chrono::seconds kQuiet{1};
constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr size_t kWidth = 40;

bool CanRedraw() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && std::getenv("CI") == nullptr &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

ProgressBar::ProgressBar(size_t files)
    : files_(std::max<size_t>(files, 1)),
      is_wanted_(CanRedraw()),
      next_draw_(Clock::now() + kQuiet) {}

ProgressBar::~ProgressBar() {
  if (is_drawn_) std::fputs("\r\x1b[K", stderr);
}

std::function<void(double)> ProgressBar::OfFile(size_t file) {
  if (!is_wanted_) return {};
  return [this, file](double part) {
    Draw((static_cast<double>(file) + std::clamp(part, 0.0, 1.0)) /
         static_cast<double>(files_));
  };
}

void ProgressBar::Draw(double part) {
  const auto now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + kBetweenDraws;
  is_drawn_ = true;
  const auto full = static_cast<size_t>(part * kWidth);
  const std::string bar =
      std::string(full, '#') + std::string(kWidth - full, '.');
  std::fprintf(stderr, "\rreading [%s] %3.0f %%", bar.c_str(), part * 100);
}

}  // namespace dltap::analyzer
