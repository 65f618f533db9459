// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/frame_program.h"

namespace dltap::shim {
namespace {

constexpr uint64_t kBp = 6;  // DWARF numbers of x86-64's registers
constexpr uint64_t kSp = 7;
constexpr uint64_t kReturn = 16;

// "register + offset", or what is stored there: what compilers write where a
// function aligns its stack.
bool ReadExpression(ByteCursor in, bool* from_bp, bool* is_stored,
                    int64_t* offset) {
  constexpr uint8_t kBreg0 = 0x70, kDeref = 0x06;
  const auto first = in.Fixed<uint8_t>();
  if (first != kBreg0 + kBp && first != kBreg0 + kSp) return false;
  *from_bp = first == kBreg0 + kBp;
  *offset = in.Signed();
  *is_stored = false;
  if (!in.AtEnd()) {
    if (in.Fixed<uint8_t>() != kDeref || !in.AtEnd()) return false;
    *is_stored = true;
  }
  return in.ok();
}

// The rows of a call frame program up to an instruction.
class Program {
 public:
  Program(const Cie& cie, FrameRule* rule) : cie_(cie), rule_(*rule) {}

  bool Run(ByteCursor in, uintptr_t begin, uintptr_t target) {
    uintptr_t at = begin;
    while (!in.AtEnd() && ok_) {
      const auto op = in.Fixed<uint8_t>();
      uint64_t advance = 0;
      if (!Advances(op, in, &advance)) {
        Apply(op, in);
        continue;
      }
      at += advance * cie_.code_align;
      if (at > target) break;
    }
    return ok_ && in.ok();
  }
  void Start() { initial_ = rule_; }

 private:
  static constexpr int kMostSaved = 8;

  static bool Advances(uint8_t op, ByteCursor& in, uint64_t* by) {
    if ((op & 0xC0) == 0x40) {
      *by = op & 0x3F;
      return true;
    }
    switch (op) {
      case 0x02: *by = in.Fixed<uint8_t>(); return true;
      case 0x03: *by = in.Fixed<uint16_t>(); return true;
      case 0x04: *by = in.Fixed<uint32_t>(); return true;
      default: return false;
    }
  }

  void Apply(uint8_t op, ByteCursor& in) {
    if ((op & 0xC0) == 0x80) {
      return SetAtCfa(op & 0x3F, static_cast<int64_t>(in.Unsigned()));
    }
    if ((op & 0xC0) == 0xC0) return Restore(op & 0x3F);
    const bool has_register = op >= 0x05 && op <= 0x09;
    const uint64_t reg = has_register ? in.Unsigned() : 0;
    switch (op) {
      case 0x00: return;
      case 0x05: return SetAtCfa(reg, static_cast<int64_t>(in.Unsigned()));
      case 0x06: return Restore(reg);
      case 0x07: return Forget(reg);
      case 0x08: return KeepSame(reg);
      case 0x09: in.Unsigned(); return Lose(reg);
      case 0x0A: return Save();
      case 0x0B: return TakeSaved();
      default: return ApplyFurther(op, in);
    }
  }

  void ApplyFurther(uint8_t op, ByteCursor& in) {
    switch (op) {
      case 0x0C: SetCfaRegister(in.Unsigned()); [[fallthrough]];
      case 0x0E: rule_.cfa_offset = static_cast<int64_t>(in.Unsigned()); return;
      case 0x0D: return SetCfaRegister(in.Unsigned());
      case 0x0F: {
        ByteCursor expression = in.Part(in.Unsigned());
        cfa_known_ = ReadExpression(expression, &rule_.cfa_from_bp,
                                    &rule_.cfa_is_stored, &rule_.cfa_offset);
        return;
      }
      case 0x10: {
        const uint64_t reg = in.Unsigned();
        return SetByExpression(reg, in.Part(in.Unsigned()));
      }
      case 0x11: {
        const uint64_t reg = in.Unsigned();
        return SetAtCfa(reg, in.Signed());
      }
      case 0x12: SetCfaRegister(in.Unsigned()); [[fallthrough]];
      case 0x13: rule_.cfa_offset = in.Signed() * cie_.data_align; return;
      case 0x14:
      case 0x15: {
        const uint64_t reg = in.Unsigned();
        in.Unsigned();
        return Lose(reg);
      }
      case 0x16: {
        const uint64_t reg = in.Unsigned();
        in.Skip(in.Unsigned());
        return Lose(reg);
      }
      case 0x2E: in.Unsigned(); return;  // GNU_args_size
      default: ok_ = false;
    }
  }

  void SetCfaRegister(uint64_t reg) {
    rule_.cfa_is_stored = false;
    rule_.cfa_from_bp = reg == kBp;
    cfa_known_ = reg == kBp || reg == kSp;
  }
  void SetAtCfa(uint64_t reg, int64_t factored) {
    const int64_t offset = factored * cie_.data_align;
    if (reg == kBp) {
      rule_.bp = FrameRule::Bp::kAtCfa;
      rule_.bp_offset = offset;
    } else if (reg == kReturn) {
      rule_.return_offset = offset;
      rule_.is_outermost = false;
    }
  }
  void SetByExpression(uint64_t reg, ByteCursor expression) {
    bool from_bp = false, is_stored = false;
    int64_t offset = 0;
    const bool is_known =
        ReadExpression(expression, &from_bp, &is_stored, &offset);
    if (reg == kBp && is_known && from_bp && !is_stored) {
      rule_.bp = FrameRule::Bp::kAtBp;
      rule_.bp_offset = offset;
    } else {
      Lose(reg);
    }
  }
  void Lose(uint64_t reg) {
    if (reg == kBp) rule_.bp = FrameRule::Bp::kLost;
    if (reg == kReturn || reg == kSp) ok_ = false;
  }
  void Forget(uint64_t reg) {
    if (reg == kReturn) {
      rule_.is_outermost = true;
    } else {
      Lose(reg);
    }
  }
  void KeepSame(uint64_t reg) {
    if (reg == kBp) rule_.bp = FrameRule::Bp::kSame;
    if (reg == kReturn) ok_ = false;
  }
  void Restore(uint64_t reg) {
    if (reg == kBp) {
      rule_.bp = initial_.bp;
      rule_.bp_offset = initial_.bp_offset;
    } else if (reg == kReturn) {
      rule_.return_offset = initial_.return_offset;
      rule_.is_outermost = initial_.is_outermost;
    }
  }
  void Save() {
    if (saved_count_ == kMostSaved) {
      ok_ = false;
    } else {
      saved_known_[saved_count_] = cfa_known_;
      saved_[saved_count_++] = rule_;
    }
  }
  void TakeSaved() {
    if (saved_count_ == 0) {
      ok_ = false;
    } else {
      rule_ = saved_[--saved_count_];
      cfa_known_ = saved_known_[saved_count_];
    }
  }

 public:
  bool cfa_known() const { return cfa_known_; }

 private:
  const Cie& cie_;
  FrameRule& rule_;
  FrameRule initial_;
  FrameRule saved_[kMostSaved];
  bool saved_known_[kMostSaved] = {};
  int saved_count_ = 0;
  bool cfa_known_ = false;
  bool ok_ = true;
};

}  // namespace

bool RunFramePrograms(const Cie& cie, ByteCursor of_function, uintptr_t begin,
                      uintptr_t pc, FrameRule* rule) {
  Program program(cie, rule);
  if (!program.Run(cie.program, begin, ~uintptr_t{0})) return false;
  program.Start();
  return program.Run(of_function, begin, pc) && program.cfa_known();
}

}  // namespace dltap::shim
