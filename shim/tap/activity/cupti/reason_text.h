// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_REASON_TEXT_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_REASON_TEXT_H_

#include <array>
#include <cstdint>
#include <cstring>

namespace dltap::shim::cupti {

// "cuptiActivityEnable: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (39)",
// without the heap and without stdio.
class ReasonText {
 public:
  // `error` may be null.
  ReasonText(const char* step, const char* error, uint32_t code) {
    Add(step);
    Add(": ");
    Add(error != nullptr ? error : "error");
    Add(" (");
    AddNumber(code);
    Add(")");
  }
  const char* text() const { return text_.data(); }

 private:
  void Add(const char* piece) {
    while (*piece != '\0' && size_ + 1 < text_.size()) {
      text_[size_++] = *piece++;
    }
  }
  void AddNumber(uint32_t number) {
    if (number >= 10) AddNumber(number / 10);
    const char digit[] = {static_cast<char>('0' + number % 10), '\0'};
    Add(digit);
  }

  size_t size_ = 0;
  std::array<char, 160> text_{};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_REASON_TEXT_H_
