# SPDX-License-Identifier: Apache-2.0
"""Memory is what PyTorch's allocator says, to the byte.

Of programs of programs.py: tapped, the peak of what was taken from the driver;
under torch.profiler that and the peak in tensors, and the owners add up. The
tap's weights are nearly the program's parameters, and never more; what it
knows to be in use in a step is never more than the allocator gave out, and
products' inputs are among it. With expandable segments the driver maps the
memory, and the tap sees as much.

    memory_test.py [--python PYTHON] [--only PROGRAM...]
"""

import json
import sys

from differential_test import RUN, chain, run_both, run_oracle

PROGRAMS = ("cnn", "unet", "gan", "lstm", "hand_made_lstm", "sdpa_math",
            "manual_attention", "mixture_of_experts", "checkpointing",
            "amp_with_scaler", "cnn_inference", "accumulation",
            "embedding_classifier", "recommender")
# All their weights but biases and norms are operands of products, or tables.
WEIGHTS = ("cnn", "unet", "lstm", "sdpa_math", "manual_attention",
           "mixture_of_experts", "checkpointing", "amp_with_scaler",
           "accumulation", "embedding_classifier", "recommender")
LEAST_WEIGHTS = 0.95
# Their products' inputs are kept for the backward pass.
KEEP_INPUTS = ("cnn", "unet", "gan", "sdpa_math", "manual_attention",
               "mixture_of_experts", "accumulation")

EXPANDABLE = ("lstm", "amp_with_scaler", "checkpointing")


def run(python, folder, names) -> None:
    run_both(python, folder, names)
    names = [name for name in names if name in EXPANDABLE]
    if not names:
        return
    (folder / "expandable").mkdir()
    chain.run_tapped([python, RUN, folder / "expandable", *names],
                     folder / "expandable_trace", DLTAP_SIM_CLOCK="real",
                     PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True")


def expandable(folder, name) -> dict:
    said = json.loads((folder / "expandable" / f"{name}.memory.json")
                      .read_text())
    pids = json.loads((folder / "expandable" / "pids.json").read_text())
    trace, = (folder / "expandable_trace").glob(f"*-{pids[name]}-*.dltap")
    device = device_of(trace)
    return {"expandable held": (device["held"]["peak_bytes"],
                                said["reserved"]),
            "expandable owners": (owned(device), said["reserved"])}


def device_of(path) -> dict:
    device, = chain.report(path)["memory"]["devices"]
    return device


def owned(device) -> int:
    owners = device["owners"] or {}
    return sum(value for key, value in owners.items()
               if key.endswith("_bytes") and key != "of_bytes")


def seen(folder, name) -> dict:
    """(seen, wanted) of each number."""
    pids = json.loads((folder / "tap" / "pids.json").read_text())
    trace, = (folder / "trace").glob(f"*-{pids[name]}-*.dltap")
    said = [json.loads((folder / place / f"{name}.memory.json").read_text())
            for place in ("tap", "profiler")]
    tap, profiler = (device_of(trace),
                     device_of(folder / "profiler" / f"{name}.json"))
    return {"tap held": (tap["held"]["peak_bytes"], said[0]["reserved"]),
            "tap owners": (owned(tap), said[0]["reserved"]),
            "profiler held": (profiler["held"]["peak_bytes"],
                              said[1]["reserved"]),
            "profiler tensors": (profiler["tensors"]["peak_bytes"],
                                 said[1]["allocated"]),
            "profiler owners": (owned(profiler), said[1]["allocated"])}


def weights(folder, name) -> tuple[int, int]:
    """Seen by the tap, and what the program has."""
    pids = json.loads((folder / "tap" / "pids.json").read_text())
    trace, = (folder / "trace").glob(f"*-{pids[name]}-*.dltap")
    said = json.loads((folder / "tap" / f"{name}.memory.json").read_text())
    return (device_of(trace)["owners"]["weights_bytes"], said["weights"])


def in_step(folder, name) -> tuple[dict, int]:
    """Bytes by owner in a step, and what the allocator gave out at most."""
    pids = json.loads((folder / "tap" / "pids.json").read_text())
    trace, = (folder / "trace").glob(f"*-{pids[name]}-*.dltap")
    said = json.loads((folder / "tap" / f"{name}.memory.json").read_text())
    owners = device_of(trace)["step_owners"] or {}
    return {key: value for key, value in owners.items()
            if key.endswith("_bytes") and value is not None}, said["allocated"]


def check(folder, names) -> int:
    """The number of numbers that differ; prints all."""
    bad = 0
    for name in names:
        numbers = seen(folder, name)
        if name in EXPANDABLE:
            numbers |= expandable(folder, name)
        for what, (have, want) in numbers.items():
            print(f"{name}, {what}: {have} of {want}")
            bad += have != want
        owners, most = in_step(folder, name)
        print(f"{name}, in a step: {sum(owners.values())} of at most {most}: "
              f"{owners}")
        bad += sum(owners.values()) > most
        bad += name in KEEP_INPUTS and not owners.get("feature_maps_bytes")
        if name in WEIGHTS:
            have, want = weights(folder, name)
            print(f"{name}, weights: {have} of {want}")
            bad += not LEAST_WEIGHTS * want <= have <= want
    return bad


if __name__ == "__main__":
    sys.exit(run_oracle(__doc__, PROGRAMS, run, check))
