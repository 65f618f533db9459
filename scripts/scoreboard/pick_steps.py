#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pick_steps.py DIR: writes steps.csv from the truth's tables in DIR.

DIR holds e2e_curated.csv.gz and timm_steps.csv.gz. Takes each curated row that
models.py can build and, of the models of timm that are not curated, SAMPLE by
the hash of their name, one row each. A model is shown or held out by the hash
of its name, so that no layout or batch of it is on both sides. Nothing may be
fitted to rows that are held out.
"""

import csv
import gzip
import hashlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = 80
HELD_OUT_PERCENT = 30
COLUMNS = ["builder", "mode", "model", "gpu", "precision", "layout", "batch",
           "shape", "torch", "step_ms", "tier", "split", "source", "licence"]
TORCH_OF = {"pt112": "1.12", "pt113": "1.13", "pt210": "2.1", "pt240": "2.4"}


def number_of(text):
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def split_of(model):
    held_out = number_of("split " + model) % 100 < HELD_OUT_PERCENT
    return "held_out" if held_out else "shown"


def read(folder, name):
    with gzip.open(os.path.join(folder, name), "rt", newline="") as source:
        return list(csv.DictReader(source))


def builder_of(row):
    framework, model = row["framework"], row["model"]
    if "timm" in framework:
        return "timm"
    if framework == "PyTorch 0.3.0" or model == "resnet50":
        return "torchvision"
    if model == "ResNet-18" and row["dltap_gpu"] == "p100-pcie":
        return "cifar"
    return "bert" if model.startswith("bert_") else None


def mode_of(row):
    if "--bench infer" in row["how_to_build"]:
        return "infer"
    return "backward" if "no optimizer" in row["how_to_build"] else "train"


def licence_of(source):
    for start, licence in (("huggingface", "Apache-2.0"), ("stanford", "MIT")):
        if source.startswith(start):
            return licence
    return "facts of a README"


def torch_of(framework):  # "PyTorch 2.4.0 (timm)" -> "2.4"
    return framework.split()[1].removesuffix(".0")


def from_curated(row):
    builder = builder_of(row)
    if builder is None or row["n_gpu"] != "1":
        return None
    shape = "3x32x32" if builder == "cifar" else row["shape"]
    return {"builder": builder, "mode": mode_of(row), "model": row["model"],
            "gpu": row["dltap_gpu"], "precision": row["precision"],
            "layout": "nchw" if row["layout"] == "-" else row["layout"],
            "batch": row["batch_per_gpu"], "shape": shape,
            "torch": torch_of(row["framework"]), "step_ms": row["step_ms"],
            "tier": row["tier"], "split": split_of(row["model"]),
            "source": row["source"], "licence": licence_of(row["source"])}


def from_timm(row):
    size = row["img"]
    bench = (f"benchmark-{row['mode']}-{row['precision']}-{row['layout']}-"
             f"{row['torch']}-{row['cuda']}")
    return {"builder": "timm", "mode": row["mode"], "model": row["model"],
            "gpu": "rtx-3090", "precision": "amp_fp16",
            "layout": row["layout"], "batch": int(float(row["batch"])),
            "shape": f"3x{size}x{size}", "torch": TORCH_OF[row["torch"]],
            "step_ms": row["step_ms"], "tier": "1",
            "split": split_of(row["model"]), "licence": "Apache-2.0",
            "source": f"huggingface/pytorch-image-models results/{bench}"}


def write(name, steps):
    with open(os.path.join(HERE, name), "w", newline="",
              encoding="utf-8") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(steps)


def main():
    folder = sys.argv[1]
    steps = [step for step in map(from_curated,
                                  read(folder, "e2e_curated.csv.gz")) if step]
    curated = {step["model"] for step in steps}
    by_model = {}
    for row in read(folder, "timm_steps.csv.gz"):
        if row["model"] not in curated and row["dynamo"] == "False":
            by_model.setdefault(row["model"], []).append(row)
    for model in sorted(by_model, key=number_of)[:SAMPLE]:
        rows = by_model[model]
        steps.append(from_timm(min(rows, key=lambda row: number_of(str(row)))))
    write("steps.csv", steps)


if __name__ == "__main__":
    main()
