# SPDX-License-Identifier: Apache-2.0
"""Whether two types of the vendor's are laid out alike."""

from __future__ import annotations

from entry_points import model


def arguments(ours, theirs) -> bool:
    """Of two functions: the caller of one could call the other."""
    return len(ours) == len(theirs) and all(
        _is_alike(a.type, b.type) for a, b in zip(ours, theirs))


def _is_alike(ours: model.Type, theirs: model.Type) -> bool:
    if ours.struct or theirs.struct:
        return bool(ours.struct and theirs.struct
                    and ours.struct.size == theirs.struct.size
                    and _same_members(ours.struct.members,
                                      theirs.struct.members))
    a, b = ours.scalar, theirs.scalar
    if a.width != b.width:
        return widens(a, b)
    if ours.pointee and theirs.pointee:
        return _points_alike(ours.pointee, theirs.pointee)
    return _is_float(a) == _is_float(b)


def _points_alike(ours: model.Pointee, theirs: model.Pointee) -> bool:
    if "struct" in (ours.kind, theirs.kind):
        return "void" in (ours.kind, theirs.kind) or (
            ours.kind == theirs.kind
            and _same_members(ours.members, theirs.members))
    a, b = ours.scalar, theirs.scalar
    return a is None or b is None or (a.width == b.width
                                      and _is_float(a) == _is_float(b))


def _same_members(ours, theirs) -> bool:
    """The members of a union may be declared in another order."""
    return _places(ours) == _places(theirs)


def _places(members) -> set[tuple[int, int, bool]]:
    return {(m.offset, m.scalar.width, _is_float(m.scalar)) for m in members}


def _is_float(scalar: model.Scalar) -> bool:
    return scalar.kind == "float"


def widens(ours: model.Scalar, theirs: model.Scalar) -> bool:
    """Flags: unsigned int here, unsigned long long there."""
    return ours.kind == theirs.kind == "uint" and ours.width < theirs.width
