# SPDX-License-Identifier: Apache-2.0
"""The part of JSON Schema that the schemas of the analyzer use."""


def check(value, schema: dict, root: dict | None = None,
          where: str = "report") -> None:
    """Fails at the first value that is not by the schema."""
    root = root or schema
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool,
             "integer": int, "number": (int, float), "null": type(None)}
    if "const" in schema:
        assert value == schema["const"], f"{where}: {value}"
    if "enum" in schema:
        assert value in schema["enum"], f"{where}: {value}"
    if "type" in schema:
        types = schema["type"]
        types = [types] if isinstance(types, str) else types
        good = any(isinstance(value, kinds[t]) for t in types)
        if isinstance(value, bool) and "boolean" not in types:
            good = False
        assert good, f"{where}: {value!r} is no {types}"
    if "minimum" in schema and value is not None:
        assert value >= schema["minimum"], f"{where}: {value}"
    if isinstance(value, dict):
        for key in schema.get("required", []):
            assert key in value, f"{where}: no {key}"
        if schema.get("additionalProperties") is False:
            unknown = set(value) - set(schema["properties"])
            assert not unknown, f"{where}: {unknown} not in the schema"
        for key, inner in value.items():
            of_key = schema.get("properties", {}).get(
                key, schema.get("additionalProperties"))
            if of_key:
                check(inner, of_key, root, f"{where}.{key}")
    if isinstance(value, list) and "items" in schema:
        for i, inner in enumerate(value):
            check(inner, schema["items"], root, f"{where}[{i}]")
