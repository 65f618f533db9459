// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_ANALYZER_METRICS_TOKEN_TEXT_H_
#define DLTAP_TESTS_UNIT_ANALYZER_METRICS_TOKEN_TEXT_H_

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"

namespace dltap::analyzer {

inline std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// One call per letter, 10 ns each, 1 ns apart; '.' lengthens the pause before
// the next one by 20 us, ',' by 100 ns. A letter is a kernel, a capital an
// update; '(' before it makes a product of the forward pass ('e' reads an
// embedding), ')' one of the backward pass, ']' backward work that is no
// product. '?' draws random numbers. '<' copies a batch to the device, '+' a
// value, '>' one from it, '^' an array from it, a digit on it, '=' replays a
// graph of 20 kernels. What
// '|' stands before and '/' behind is a run of one of XLA's modules.
inline std::vector<CallToken> TokensFromText(std::string_view text) {
  std::vector<CallToken> tokens;
  int64_t at = 0;
  char before = ' ';
  uint32_t runs = 0;
  bool in_run = false;
  for (const char c : text) {
    const char direction = before;
    before = c;
    if (c == '.') at += 20'000;
    if (c == ',') at += 100;
    if (c == '|') ++runs;
    if (c == '|' || c == '/') in_run = c == '|';
    if (std::string_view("|/.,()]").find(c) != std::string_view::npos) continue;
    CallToken token{.signature = static_cast<uint32_t>(c == '+'   ? '<'
                                                       : c == '^' ? '>'
                                                                  : c),
                    .begin_ns = at,
                    .end_ns = at + 10,
                    .run = in_run ? runs : 0};
    at += 11;
    const auto byte = static_cast<unsigned char>(c);
    token.h2d = c == '<' || c == '+';
    token.h2d_bytes = c == '<' ? 4096 : c == '+' ? 8 : 0;
    token.d2h = c == '>' || c == '^';
    token.d2h_bytes = c == '^' ? 4096 : token.d2h ? 8 : 0;
    token.whole = c == '=';
    token.draws = c == '?';
    token.computes = std::isalpha(byte) != 0 || token.draws || token.whole;
    token.kernels = token.whole ? 20 : token.computes ? 1 : 0;
    token.update = std::isupper(byte) != 0;
    token.optimizer = c == 'O';
    token.forward = direction == '(' || token.whole;
    token.backward = direction == ')' || direction == ']';
    token.reads_rows = token.forward && c == 'e';
    token.product = token.forward || direction == ')';
    // The same kernel forward and backward is not the same call.
    if (token.backward) token.signature += 128;
    tokens.push_back(token);
  }
  return tokens;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_TESTS_UNIT_ANALYZER_METRICS_TOKEN_TEXT_H_
