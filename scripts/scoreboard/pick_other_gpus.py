#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pick_other_gpus.py DIR: writes other_gpus.csv from the truth's tables in DIR.

Whole steps of one GPU each, of GPUs and harnesses that pick_steps.py does not
know, with its rule for what is held out:

- lambda_tf_cnn: tf_cnn_benchmarks on synthetic data without XLA. Ours are the
  same nets in PyTorch. FP32 of an RTX 3090 is TF32, TensorFlow's default. Asked
  for NCHW, TensorFlow turns a graph in half precision to NHWC from compute
  capability 7.0 on (grappler/optimizers/generic_layout_optimizer.cc).
- sia_pollux_steps: the two largest batches of each model. The loader is in the
  step; the precision is not stated, FP32 is taken. Its ResNet-50 is left out:
  200 images do not fit into 11 GB in FP32, so it ran in something else.
- llm_foundry_mpt: 8 GPUs, without checkpointing, of a few lengths. Ours is one
  micro-batch forward and backward: the collectives of the shards and an eighth
  of the optimizer are missing.
- zeus_power_caps: ResNet-50 and BERT on a V100 at its full 250 W, the two
  largest batches; an epoch by its samples, loader inside, FP32.

Left out: detectron2 (times by the data), pipedream (layers), DeepLearning-
Examples' other nets (lengths by the data), many GPUs.
"""

import sys

from pick_steps import read, split_of, write

LENGTHS = ("512", "2048", "8192", "32768")
LAMBDA_GPUS = {"GeForce GTX 1080 Ti": "gtx-1080-ti",
               "GeForce RTX 3090": "rtx-3090",
               "Tesla V100-SXM3-32GB": "v100-sxm"}
LAMBDA_NETS = {"resnet50": ("tf_cnn", "resnet50_v1", "3x224x224"),
               "resnet152": ("tf_cnn", "resnet152_v1", "3x224x224"),
               "inception4": ("tf_cnn", "inception4", "3x299x299"),
               "alexnet": ("tf_cnn", "alexnet", "3x227x227")}
POLLUX_NETS = {"cifar10": ("cifar", "ResNet-18", "3x32x32"),
               "bert": ("bert", "bert_base_squad", "seq 384")}
# Network: builder, model, shape, samples of an epoch.
ZEUS_NETS = {"resnet50": ("torchvision", "resnet50", "3x224x224", 1281167),
             "bert_base_uncased": ("bert", "bert_base_squad", "seq 384",
                                   88524)}


def step(builder, model, shape, **more):
    return {"builder": builder, "model": model, "shape": shape, "tier": "2",
            "split": split_of(model), "layout": "nchw", **more}


def layout_of_tensorflow(gpu, precision):
    has_tensor_cores = gpu != "gtx-1080-ti"
    return "nhwc" if has_tensor_cores and precision == "fp16" else "nchw"


def from_lambda(row):
    precision = row["precision"]
    if "3090" in row["gpu"] and precision == "fp32":
        precision = "tf32"
    gpu = LAMBDA_GPUS[row["gpu"]]
    return step(*LAMBDA_NETS[row["model"]], mode=row["mode"], gpu=gpu,
                precision=precision,
                layout=layout_of_tensorflow(gpu, precision),
                batch=row["batch_per_gpu"], torch="tensorflow-2",
                step_ms=row["step_ms"], licence="BSD-3-Clause",
                source="lambdal/lambda-tensorflow-benchmark " + row["source"])


def from_pollux(row):
    return step(*POLLUX_NETS[row["model"]], mode="train", gpu="rtx-2080-ti",
                precision="fp32", batch=row["local_bsz"], torch="1.5",
                step_ms=round(1000 * float(row["step_s"]), 3),
                licence="Apache-2.0", source="siasosp23/artifacts placements")


def from_mpt(row):
    memory = row["GPU"].removeprefix("a100_").removesuffix("gb")
    tokens = int(row["MicroBatchSize"]) * int(row["SeqLen (T)"])
    precision = "bf16" if row["MP Mode"] == "PURE" else "amp_bf16"
    return step("mpt", "mpt_" + row["Model"], "seq " + row["SeqLen (T)"],
                mode="backward", gpu=f"a100-{memory}-sxm", precision=precision,
                batch=row["MicroBatchSize"], torch="2.1",
                step_ms=round(1000 * tokens / float(
                    row["Throughput (T/s/GPU)"]), 3),
                licence="Apache-2.0",
                source="mosaicml/llm-foundry scripts/train/benchmarking")


def from_zeus(row):
    builder, model, shape, samples = ZEUS_NETS[row["network"]]
    batch = int(row["batch_size"])
    return step(builder, model, shape, mode="train", gpu="v100-pcie",
                precision="fp32", batch=batch, torch="1.10",
                step_ms=round(1000 * float(row["time_per_epoch"]) * batch /
                              samples, 3),
                licence="Apache-2.0", source="ml-energy/zeus trace, 250 W")


def largest_two(rows, group, batch):
    groups = {}
    for row in sorted(rows, key=lambda row: -int(row[batch])):
        groups.setdefault(row[group], []).append(row)
    return [row for name in sorted(groups) for row in groups[name][:2]]


def main():
    folder = sys.argv[1]
    steps = [from_lambda(row) for row in read(folder, "lambda_tf_cnn.csv.gz")
             if row["n_gpu"] == "1" and row["data"] == "syn" and
             row["xla"] == "False"]
    pollux = [row for row in read(folder, "sia_pollux_steps.csv.gz")
              if row["kind"] == "placements" and row["placement"] == "1" and
              row["model"] in POLLUX_NETS]
    steps += map(from_pollux, largest_two(pollux, "model", "local_bsz"))
    steps += [from_mpt(row) for row in read(folder, "llm_foundry_mpt.csv.gz")
              if row["# GPUs"] == "8" and row["SeqLen (T)"] in LENGTHS and
              row["Activation Checkpointing"] == "False" and
              row["Model"] in ("125m", "350m", "760m", "1b")]
    zeus = [row for row in read(folder, "zeus_power_caps.csv.gz")
            if row["gpu"] == "v100" and row["power_limit"] == "250" and
            row["network"] in ZEUS_NETS and
            row["dataset"] in ("imagenet", "squad")]
    steps += map(from_zeus, largest_two(zeus, "network", "batch_size"))
    write("other_gpus.csv", steps)


if __name__ == "__main__":
    main()
