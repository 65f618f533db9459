# SPDX-License-Identifier: Apache-2.0
"""Reads function prototypes out of vendor headers with libclang."""

from __future__ import annotations

import fnmatch
import pathlib
import subprocess

from clang import cindex

from entry_points import model

_SIGNED = {
    cindex.TypeKind.CHAR_S, cindex.TypeKind.SCHAR, cindex.TypeKind.SHORT,
    cindex.TypeKind.INT, cindex.TypeKind.LONG, cindex.TypeKind.LONGLONG,
}
_UNSIGNED = {
    cindex.TypeKind.BOOL, cindex.TypeKind.CHAR_U, cindex.TypeKind.UCHAR,
    cindex.TypeKind.USHORT, cindex.TypeKind.UINT, cindex.TypeKind.ULONG,
    cindex.TypeKind.ULONGLONG,
}
_FLOATING = {cindex.TypeKind.FLOAT, cindex.TypeKind.DOUBLE}
_ARRAYS = {cindex.TypeKind.CONSTANTARRAY}
# Integers by type, addresses of device memory by meaning.
_ADDRESS_TYPEDEFS = {"CUdeviceptr", "CUdeviceptr_v2"}


class HeaderReader:
    """Parses header units; one reader serves all libraries of a run."""

    def __init__(self, include_dirs: list[pathlib.Path], compiler: str):
        self._args = ["-x", "c++", "-std=c++17"]
        self._vendor_prefixes = tuple(f"{d}/" for d in include_dirs)
        self._args += [f"-I{d}" for d in include_dirs]
        self._args += [f"-I{d}" for d in _compiler_include_dirs(compiler)]
        self._index = cindex.Index.create()
        self.read_files: set[str] = set()  # vendor headers only

    def functions(self, units: tuple[model.Unit, ...], symbols: tuple[str, ...],
                  where: str) -> list[model.Function]:
        """Functions whose name matches one of the globs, first unit wins."""
        found: dict[str, model.Function] = {}
        for number, unit in enumerate(units):
            for cursor in self._declarations(unit, symbols, where):
                if cursor.spelling not in found:
                    found[cursor.spelling] = _function(cursor, number)
        return [found[name] for name in sorted(found)]

    def _declarations(self, unit: model.Unit, symbols: tuple[str, ...],
                      where: str):
        tu = self.parse(unit, where)
        self.read_files.update(
            i.include.name for i in tu.get_includes()
            if i.include.name.startswith(self._vendor_prefixes))
        yield from _matching(tu.cursor, symbols)

    def constant(self, header: str, expression: str) -> int:
        """The value of a macro."""
        unit = model.Unit((header,), text=f"enum {{ dltap = ({expression}) }};")
        *_, last = self.parse(unit, header).cursor.get_children()
        return next(last.get_children()).enum_value

    def text(self, header: str) -> str:
        """A vendor's header as it is written; "": there is none."""
        for folder in self._vendor_prefixes:
            path = pathlib.Path(folder) / header
            if path.exists():
                self.read_files.add(str(path))
                return path.read_text()
        return ""

    def is_vendors(self, cursor) -> bool:
        """Whether the declaration stands in a vendor's header."""
        file = cursor.location.file
        return file is not None and file.name.startswith(self._vendor_prefixes)

    def parse(self, unit: model.Unit, where: str):
        flags = cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
        name = "unit.cc"
        tu = self._index.parse(name, args=self._args, options=flags,
                               unsaved_files=[(name, unit.source())])
        errors = [d for d in tu.diagnostics
                  if d.severity >= cindex.Diagnostic.Error]
        if errors:
            raise model.SpecError(
                f"{where}: cannot parse {', '.join(unit.includes)}: "
                f"{errors[0]}")
        return tu


def _compiler_include_dirs(compiler: str) -> list[str]:
    """The system include folders of the host compiler."""
    run = subprocess.run(
        [compiler, "-E", "-x", "c++", "-v", "/dev/null"],
        capture_output=True, text=True, check=True)
    lines = run.stderr.splitlines()
    begin = next(i for i, l in enumerate(lines) if l.startswith("#include <"))
    end = lines.index("End of search list.")
    return [line.strip() for line in lines[begin + 1:end]]


def _matching(cursor, symbols: tuple[str, ...]):
    kinds = cindex.CursorKind
    for child in cursor.get_children():
        if child.kind in (kinds.LINKAGE_SPEC, kinds.UNEXPOSED_DECL):
            yield from _matching(child, symbols)
        elif child.kind == kinds.FUNCTION_DECL and any(
                fnmatch.fnmatchcase(child.spelling, s) for s in symbols):
            # A header's own inline helpers are no exported functions.
            if child.storage_class != cindex.StorageClass.STATIC:
                yield child


def _function(cursor, unit: int) -> model.Function:
    parameters = tuple(
        model.Parameter(p.spelling or f"arg{i}", _type(p.type))
        for i, p in enumerate(cursor.get_arguments()))
    return model.Function(
        symbol=cursor.spelling, result=_type(cursor.result_type),
        parameters=parameters, unit=unit,
        variadic=cursor.type.kind == cindex.TypeKind.FUNCTIONPROTO
        and cursor.type.is_function_variadic(),
        header=pathlib.Path(cursor.location.file.name).name)


def _type(written) -> model.Type:
    canonical = written.get_canonical()
    scalar = scalar_of(written)
    struct = pointee = None
    if canonical.kind == cindex.TypeKind.RECORD:
        struct = _struct(written, canonical)
    if canonical.kind in (cindex.TypeKind.POINTER,
                          cindex.TypeKind.INCOMPLETEARRAY,
                          cindex.TypeKind.CONSTANTARRAY):
        pointee = _pointee(canonical)
    return model.Type(written.spelling, scalar, struct, pointee)


def scalar_of(written) -> model.Scalar | None:
    """None for void, records and arrays inside structures."""
    canonical = written.get_canonical()
    kind, size = canonical.kind, max(canonical.get_size(), 0)
    if written.spelling.replace("const ", "") in _ADDRESS_TYPEDEFS:
        return model.Scalar("pointer", size, size)
    if kind in _SIGNED:
        return model.Scalar("int", size, size)
    if kind in _UNSIGNED:
        return model.Scalar("uint", size, size)
    if kind in _FLOATING:
        return model.Scalar("float", size, size)
    if kind == cindex.TypeKind.ENUM:
        return model.Scalar("enum", size, _enum_width(canonical))
    if kind == cindex.TypeKind.POINTER:
        target = canonical.get_pointee()
        opaque = (target.kind == cindex.TypeKind.RECORD
                  and target.get_size() < 0)
        return model.Scalar("handle" if opaque else "pointer", 8, 8)
    if kind in (cindex.TypeKind.INCOMPLETEARRAY,
                cindex.TypeKind.CONSTANTARRAY):
        return model.Scalar("pointer", 8, 8)
    return None


_enum_widths: dict[str, int] = {}  # by the enum's name


def _enum_width(canonical) -> int:
    name = canonical.spelling
    if name not in _enum_widths:
        _enum_widths[name] = _measured_enum_width(canonical)
    return _enum_widths[name]


def _measured_enum_width(canonical) -> int:
    values = [c.enum_value for c in canonical.get_declaration().get_children()
              if c.kind == cindex.CursorKind.ENUM_CONSTANT_DECL]
    # "_MAX = 0x7FFFFFFF" and the like only force the type to 32 bits.
    values = [v for v in values if abs(v) < 0x7F000000] or [0]
    for width in (1, 2):
        limit = 1 << (8 * width - 1)
        # Half the range stays free for enumerators of later releases.
        if -limit <= min(values) and max(values) < limit // 2:
            return width
    return 4


def _struct(written, canonical) -> model.Struct:
    name = canonical.get_declaration().spelling
    if not name or "(" in name:
        name = written.spelling
    name = name.replace("const ", "").replace("struct ", "").split("::")[-1]
    return model.Struct(
        name=name, size=canonical.get_size(), align=canonical.get_align(),
        declaration="\n".join(_struct_lines(canonical)),
        members=tuple(_members(canonical)))


def _struct_lines(record) -> list[str]:
    """Members of the ABI-equivalent structure: same offsets and classes."""
    fields = list(record.get_fields())
    if record.get_declaration().kind == cindex.CursorKind.UNION_DECL:
        fields = [max(fields, key=lambda f: f.type.get_size())]
    lines = []
    for number, field in enumerate(fields):
        canonical, suffix = field.type.get_canonical(), ""
        while canonical.kind in _ARRAYS:
            suffix += f"[{canonical.element_count}]"
            canonical = canonical.element_type.get_canonical()
        name = field.spelling or f"member{number}"
        if canonical.kind == cindex.TypeKind.RECORD:
            inner = " ".join(_struct_lines(canonical))
            align = canonical.get_align()
            lines.append(f"struct alignas({align}) {{ {inner} }} "
                         f"{name}{suffix};")
        else:
            lines.append(f"{scalar_of(canonical).abi} {name}{suffix};")
    return lines


def _members(record, prefix: str = "", base: int = 0):
    for field in record.get_fields():
        if not field.spelling or field.is_bitfield():
            continue
        offset = base + record.get_offset(field.spelling) // 8
        scalar = None
        if field.type.get_canonical().kind not in _ARRAYS:
            scalar = scalar_of(field.type)
        if scalar is not None:
            yield model.Member(prefix + field.spelling, offset, scalar)
        elif field.type.get_canonical().kind == cindex.TypeKind.RECORD:
            yield from _members(field.type.get_canonical(),
                                f"{prefix}{field.spelling}.", offset)


_POINTEE_KINDS = {
    cindex.TypeKind.VOID: "void", cindex.TypeKind.RECORD: "struct",
    cindex.TypeKind.FUNCTIONPROTO: "function",
    cindex.TypeKind.CHAR_S: "char", cindex.TypeKind.POINTER: "pointer",
}


def _pointee(pointer) -> model.Pointee:
    if pointer.kind == cindex.TypeKind.POINTER:
        target = pointer.get_pointee()
    else:
        target = pointer.element_type
    canonical = target.get_canonical()
    scalar = scalar_of(target)
    kind = _POINTEE_KINDS.get(canonical.kind)
    if kind is None:
        kind = scalar.kind if scalar else "other"
    members: tuple[model.Member, ...] = ()
    if kind == "struct":
        if canonical.get_size() < 0:
            kind = "opaque"
        else:
            members = tuple(_members(canonical))
    if kind == "pointer" and scalar.kind == "handle":
        kind = "handle"
    # The qualifier of an array's elements may sit on the array type.
    is_const = target.is_const_qualified() or canonical.is_const_qualified() \
        or (pointer.kind != cindex.TypeKind.POINTER
            and "const " in pointer.spelling)
    return model.Pointee(kind, target.spelling, is_const, scalar, members)
