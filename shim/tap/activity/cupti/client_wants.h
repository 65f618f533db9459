// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CLIENT_WANTS_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CLIENT_WANTS_H_

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace dltap::shim::cupti {

enum class ApiDomain : uint32_t { kRuntime = 0, kDriver = 1 };

inline CUpti_ActivityKind KindOf(ApiDomain domain) {
  return domain == ApiDomain::kRuntime ? CUPTI_ACTIVITY_KIND_RUNTIME
                                       : CUPTI_ACTIVITY_KIND_DRIVER;
}

// What other clients have switched on in CUPTI and not off again: kinds, and
// single API functions by callback id. CUPTI has one set for the process, so
// that is what we must leave on. Any thread.
class ClientWants {
 public:
  // True: this was the last.
  bool SetKind(int32_t kind, bool on) {
    const bool changed = Set(&kinds_, static_cast<uint32_t>(kind), on);
    // "Overrides the settings done by this API" (cupti_activity.h).
    if (kind == KindOf(ApiDomain::kRuntime)) Clear(&functions_[0]);
    if (kind == KindOf(ApiDomain::kDriver)) Clear(&functions_[1]);
    return changed && !on && !Any();
  }
  bool SetFunction(ApiDomain domain, uint32_t id, bool on) {
    const bool changed =
        Set(&functions_[static_cast<uint32_t>(domain)], id, on);
    return changed && !on && !Any();
  }
  // A client has come by cuptiSubscribe_v2, or one has left: no others are
  // subscribed while there are such. True: it was the last of them.
  void AddScoped() { scoped_.fetch_add(1); }
  bool RemoveScoped() {
    uint32_t count = scoped_.load();
    while (count != 0 && !scoped_.compare_exchange_weak(count, count - 1)) {
    }
    return count == 1;
  }
  bool has_scoped() const { return scoped_.load() != 0; }
  void Clear() {
    scoped_.store(0);
    Clear(&kinds_);
    for (Bits& ids : functions_) Clear(&ids);
  }

  bool Any() const {
    uint64_t any = 0;
    for (const auto& word : kinds_) any |= word.load();
    for (const Bits& ids : functions_) {
      for (const auto& word : ids) any |= word.load();
    }
    return any != 0;
  }
  bool Has(CUpti_ActivityKind kind) const {
    return Has(kinds_, static_cast<uint32_t>(kind));
  }
  // Any function of that API by itself.
  bool HasFunctions(ApiDomain domain) const {
    uint64_t any = 0;
    for (const auto& word : functions_[static_cast<uint32_t>(domain)]) {
      any |= word.load();
    }
    return any != 0;
  }
  // The function by itself, or all of its API.
  bool Has(ApiDomain domain, uint32_t id) const {
    return Has(KindOf(domain)) ||
           Has(functions_[static_cast<uint32_t>(domain)], id);
  }

 private:
  using Bits = std::array<std::atomic<uint64_t>, 32>;
  static constexpr uint32_t kMostIds = 32 * 64;

  static uint64_t BitOf(uint32_t id) { return uint64_t{1} << (id % 64); }
  // True: it was different.
  static bool Set(Bits* bits, uint32_t id, bool on) {
    if (id >= kMostIds) return false;
    auto& word = (*bits)[id / 64];
    const uint64_t before =
        on ? word.fetch_or(BitOf(id)) : word.fetch_and(~BitOf(id));
    return ((before & BitOf(id)) != 0) != on;
  }
  static bool Has(const Bits& bits, uint32_t id) {
    return id < kMostIds && (bits[id / 64].load() & BitOf(id)) != 0;
  }
  static void Clear(Bits* bits) {
    for (auto& word : *bits) word.store(0);
  }

  std::atomic<uint32_t> scoped_{0};
  Bits kinds_{};
  std::array<Bits, 2> functions_{};
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CLIENT_WANTS_H_
