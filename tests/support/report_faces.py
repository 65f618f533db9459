# SPDX-License-Identifier: Apache-2.0
"""Whether the text, CSV and JSON of one report say the same.

`Faces(dltap, paths, *options)` runs dltap report for all of them; its methods
return what disagrees, a line each.
"""
import csv
import io
import json
import re
import subprocess

VIEWS = ("class", "api", "kernel", "op", "step", "collective", "memory",
         "layer", "path", "what-if")
WORDS = {"class", "function", "kernel", "op", "direction", "device", "bound",
         "communicator", "memory", "peak_phase", "operation", "module",
         "cause", "on_path", "if_faster"}
NUMBER = re.compile(r"[-±(]*(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?[),;:]*")
NOT_A_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:nan|inf|infinity)(?![\w.])", re.I)
UNITS = {"ns": r"(^|_)ns$", "bytes": r"(^|_)bytes$",
         "ratio": r"share$|utilization$|cpu_dependency$|of_peak$|"
                  r"replay_error$|change$"}
# A class's name as people say it.
SPOKEN = {"rnn": "LSTM/RNN"}


def refuse_constant(name: str):
    raise ValueError(f"{name} in JSON")


def leaves(value, key="", unit=""):
    """(unit, number) and ("", text) of a document; units from the keys."""
    if isinstance(value, dict):
        for name, inner in value.items():
            own = next((unit for unit, names in UNITS.items()
                        if re.search(names, name)), "")
            yield from leaves(inner, name, own or unit)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, key, unit)
    elif value is not None and not isinstance(value, bool):
        yield unit, value


def without(value, keys: set):
    """The document without the fields of these names."""
    if isinstance(value, dict):
        return {key: without(inner, keys) for key, inner in value.items()
                if key not in keys}
    if isinstance(value, list):
        return [without(inner, keys) for inner in value]
    return value


def spoken(layer_class: str) -> str:
    return SPOKEN.get(layer_class, layer_class.replace("_", " ").upper())


def ms(ns: float) -> str:
    return f"{ns * 1e-6:,.{2 if ns < 1e8 else 1}f}"


def percent(ratio, missing="") -> str:
    return missing if ratio is None else f"{ratio * 100:,.1f}"


def per_step(count: float) -> str:
    if count == 0:
        return "-"
    return f"{count:.1f}" if count < 0.95 else f"{int(count + 0.5):,}"


class Faces:
    def __init__(self, dltap, paths, *options: str):
        self.command = [dltap, "report", *options]
        self.paths = paths
        self.document = json.loads(self.run("--json"),
                                   parse_constant=refuse_constant)
        self.texts = {view: self.run("--by", view) for view in VIEWS}
        self.texts["wide"] = self.run("--wide")
        self.tables = {
            view: list(csv.reader(io.StringIO(self.run("--by", view, "--csv"))))
            for view in VIEWS}

    def run(self, *options: str) -> str:
        done = subprocess.run([*self.command, *options, *self.paths],
                              capture_output=True, text=True, check=True)
        return done.stdout

    def shown(self) -> list[float]:
        """The JSON's numbers in all units in which people read them.

        Not those of windows, of which there are many and none is printed, nor
        the copies that warnings hold, whose sentences are strings. Of the
        coverage only the share is printed.
        """
        scales = {"ns": (1e-6, 1e-3), "ratio": (100,), "bytes": (2.0 ** -20, 1),
                  "": (1,)}
        numbers = [value * scale for unit, value in leaves(self.printed())
                   if not isinstance(value, str) for scale in scales[unit]]
        # Text prints a sign of its own before what gets shorter.
        return numbers + [-value for value in numbers if value < 0]

    def printed(self) -> dict:
        return without(self.document, {"windows", "warnings", "selection",
                                       "used_gpu_ns", "outside_gpu_ns"})

    # Every number is in the JSON.

    def without_names(self, text: str) -> str:
        """The text without the document's strings, whole or shortened."""
        all_names = {value for _, value in leaves(self.document)
                     if isinstance(value, str)}
        names = {name for name in all_names if re.search(r"\d", name)}
        names |= {re.sub(r"[\x00-\x1f\x7f]", "\ufffd", name) for name in names}
        text = re.sub(r"\n +", " ", text)  # wrapped lines
        lines = []
        for line in text.split("\n"):
            for cut in re.finditer(r"\.\.\.", line):
                head, rest = line[:cut.start()], line[cut.end():]
                tail = re.match(r"(.*?)(?=\s{2,}|$)", rest).group(1)
                begins = [0] + [gap.end() for gap in re.finditer(" +", head)]
                begin = next((at for at in begins if any(
                    name.startswith(head[at:]) for name in names)), None)
                # A cell may hold two names: an operation and its module.
                if begin is not None and any(
                        name.rstrip().endswith(tail) for name in all_names):
                    line = line[:begin] + rest[len(tail):]
                    break
            lines.append(line)
        text = "\n".join(lines)
        for name in sorted(names, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
        return text

    def strangers(self) -> list[str]:
        """Numbers of the text and the CSV that are no value of the JSON."""
        shown = self.shown()
        found = []
        for view, text in self.texts.items():
            for word in self.without_names(text).split():
                number = NUMBER.fullmatch(word)
                if not number:
                    continue
                value = float(number[1].replace(",", "") + (number[2] or ""))
                # Half of the last digit, and what a float of .5 is off.
                off = 0.5001 * 10.0 ** -max(0, len(number[2] or ".") - 1)
                if not any(abs(value - have) <= off for have in shown):
                    found.append(f"text by {view}: {word}")
        for view, (keys, *rows) in self.tables.items():
            for row in rows:
                for key, cell in zip(keys, row, strict=True):
                    if key in WORDS or cell == "":
                        continue
                    value = float(cell)
                    if not any(abs(value - have) <= 1e-12 * abs(have)
                               for have in shown):
                        found.append(f"csv by {view}: {key} {cell}")
        return found

    def no_numbers(self) -> list[str]:
        """NaN and infinity."""
        faces = [self.without_names(text) for text in self.texts.values()]
        faces += [",".join(cell for key, cell in zip(keys, row)
                           if key not in WORDS)
                  for keys, *rows in self.tables.values() for row in rows]
        return [found[0] for face in faces
                for found in NOT_A_NUMBER.finditer(face)]

    # Each number is the right one.

    def expected_class_row(self, row: dict) -> list[str]:
        step = row["step_mean"]
        ways = f"{step['forward_ns'] * 1e-6:,.2f} / " \
               f"{step['backward_ns'] * 1e-6:,.2f}"
        if step["forward_ns"] == 0 and step["backward_ns"] == 0:
            ways = ""
        if step["update_ns"] > step["forward_ns"] + step["backward_ns"]:
            ways = "update"
        tflops = "?" if row["tflops"] is None else f"{row['tflops']:,.1f}"
        words = [ms(step["gpu_ns"]), percent(row["share"]),
                 per_step(step["calls"]), per_step(step["kernels"]),
                 percent(row["cpu_dependency"]), tflops,
                 percent(row["of_peak"], "?"), row.get("bound", "") or "?",
                 ways]
        if "bound" not in row:
            words[7] = ""
        return " ".join(words).split()

    def text_disagrees(self) -> list[str]:
        if not self.document["devices"]:
            return []
        found = []
        lines = self.texts["wide"].split("\n")
        rows = {spoken(row["class"]): row for row in self.document["classes"]}
        rows["total"] = self.document["program"]["total"]
        for name, row in rows.items():
            expected = [*name.split(), *self.expected_class_row(row)]
            if expected not in [line.split() for line in lines]:
                found.append(f"no line {' '.join(expected)}")
        program, steps = self.document["program"], self.document["steps"]
        head = f"GPU {percent(program['utilization'], '?')} %    " \
               f"CPU-dependent {percent(program['cpu_dependency'], '?')} %"
        if steps["mean_ns"] is not None:
            deviation = steps["stddev_ns"]
            spread = "" if deviation is None else f" ± {ms(deviation)}"
            head = f"step {ms(steps['mean_ns'])} ms{spread}    {head}"
        else:
            head = f"run {ms(program['longest_wall_ns'])} ms    {head}"
        found += [] if any(line.startswith(head) for line in lines) else [
            f"no line {head}"]
        idle = program["step_mean"]["idle_ns"]
        if idle > 0 and f"idle {ms(idle)} ms" not in self.texts["wide"]:
            found.append(f"no line of idle {ms(idle)} ms")
        limits = self.document["limit"]
        said = re.sub(r"\n +", " ", self.texts["wide"])
        if limits and percent(limits[0]["share"]) + " %" not in said[
                said.find("\nlimit: "):]:
            found.append(f"not in the limit: {limits[0]}")
        return found + self.advice_disagrees(said)

    def advice_disagrees(self, said: str) -> list[str]:
        """Each advice has a line; nothing that was held back has one."""
        given = [row["act"] for row in self.document["advice"]]
        tried = said.count(" try ")
        found = [] if tried == len(given) else [
            f"{tried} lines to try, {len(given)} in the JSON"]
        return found + [f"not to try: {act}" for act in given
                        if f" try   {act}" not in said]

    def csv_disagrees(self) -> list[str]:
        keys, *rows = self.tables["class"]
        by_name = {spoken(row["class"]): row
                   for row in self.document["classes"]}
        found = []
        if sorted(row[0] for row in rows) != sorted(by_name):
            found.append(f"rows {[row[0] for row in rows]}")
        for row in rows:
            got = dict(zip(keys, row, strict=True))
            of_class = by_name.get(got["class"])
            if of_class is None:
                continue
            for key, value in self.expected_csv(of_class).items():
                if not same(got[key], value):
                    found.append(f"csv {row[0]} {key}: {got[key]} {value}")
        for view, name, numbers in (
                ("api", "apis", {"calls": ("calls", 1), "cpu_ms": (
                    "cpu_ns", 1e-6), "mean_cpu_us": ("mean_cpu_ns", 1e-3),
                    "gpu_ms": ("gpu_ns", 1e-6)}),
                ("kernel", "kernels", {"count": ("count", 1), "gpu_ms": (
                    "gpu_ns", 1e-6), "mean_us": ("mean_ns", 1e-3),
                    "share_percent": ("share", 100)}),
                ("op", "ops", {"count": ("count", 1), "gpu_ms": (
                    "gpu_ns", 1e-6), "share_percent": ("share", 100),
                    "tflops_per_s": ("tflops", 1)})):
            keys, *rows = self.tables[view]
            for row, have in zip(rows, self.document[name]):
                got = dict(zip(keys, row, strict=True))
                for key, (field, scale) in numbers.items():
                    value = have[field]
                    if not same(got[key], value and value * scale):
                        found.append(f"csv by {view} {row[0]}: {key}")
        return found + self.steps_disagree()

    def expected_csv(self, row: dict) -> dict:
        step = row["step_mean"]

        def scaled(value, scale):
            return None if value is None else value * scale

        return {"gpu_ms": step["gpu_ns"] * 1e-6,
                "share_percent": scaled(row["share"], 100),
                "calls": step["calls"], "kernels": step["kernels"],
                "cpu_dependency_percent": scaled(row["cpu_dependency"], 100),
                "tflops_per_s": row["tflops"],
                "of_peak_percent": scaled(row["of_peak"], 100),
                "bound": row["bound"],
                "forward_ms": step["forward_ns"] * 1e-6,
                "backward_ms": step["backward_ns"] * 1e-6,
                "update_ms": step["update_ns"] * 1e-6}

    def steps_disagree(self) -> list[str]:
        _, *rows = self.tables["step"]
        expected = [(step["process"] + f" gpu{device['id']}",
                     step["step"], step["ns"])
                    for device in self.document["devices"]
                    for step in device["steps"]]
        got = [(name, int(step), round(float(ms_) * 1e6))
               for name, step, ms_ in rows]
        return [] if got == expected else [f"csv by step: {got} {expected}"]

    def disagreements(self) -> list[str]:
        return (self.strangers() + self.no_numbers() + self.text_disagrees() +
                self.csv_disagrees())


def same(cell: str, value) -> bool:
    if value is None:
        return cell == ""
    if isinstance(value, str):
        return cell == value
    return cell != "" and abs(float(cell) - value) <= 1e-12 * abs(value)
