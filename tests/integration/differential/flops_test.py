# SPDX-License-Identifier: Apache-2.0
"""The FLOPs of own traces are those that torch.utils.flop_counter counts.

Of programs of programs.py, run tapped and bare, over the whole run: products,
convolutions, attention and recurrent layers. Of causal attention a half counts
on both sides (run_programs.py). Gradients of grouped convolutions are left out:
PyTorch counts them as if there were one group.

    flops_test.py [--python PYTHON] [--only PROGRAM...]
"""

import json
import sys

from differential_test import RUN, chain, run_oracle

PERCENT = 1.0
CLASSES = ("gemm", "conv", "attention", "rnn")
PROGRAMS = ("cnn", "unet", "gan", "lstm", "hand_made_lstm", "sdpa_cudnn",
            "sdpa_math", "manual_attention", "mixture_of_experts",
            "checkpointing", "amp_with_scaler", "cnn_inference",
            "accumulation", "recommender", "embedding_classifier",
            "point_cloud", "normalizing_flow", "neural_differential_equation",
            "detection_head", "convolutional_lstm", "orthogonal_updates",
            "capsules", "gradients_of_samples", "language_model_lstm",
            "sdpa_flash", "sdpa_efficient", "llama_inference",
            "cached_decoding", "vision_transformer", "masked_language_model",
            "attentive_unet", "checkpointed_half_precision",
            "depthwise_inference")
# cuDNN also gives the gradients of the first states, which nobody asks for: of
# 2 layers in 3 steps, a batch of 8 through 4 gates of 64 x 64.
MORE = {"lstm": 2 * 3 * 2 * 8 * 64 * 4 * 64}


def own_flops(trace) -> float:
    # What is regrouped brings pointwise work with it, which PyTorch's counter
    # leaves out.
    report = json.loads(chain.dltap("report", "--window", "all", "--json",
                                    "--no-composite", trace).stdout)
    return sum(row["flops"] or 0 for row in report["classes"]
               if row["class"] in CLASSES)


def run_both(python, folder, names) -> None:
    for place in ("tap", "flops"):
        (folder / place).mkdir()
    chain.run_tapped([python, RUN, folder / "tap", *names], folder / "trace")
    chain.run_bare([python, RUN, folder / "flops", *names, "--flops"])


def check(folder, names) -> int:
    """The number of programs that differ; prints all."""
    pids = json.loads((folder / "tap" / "pids.json").read_text())
    bad = 0
    for name in names:
        counts = json.loads((folder / "flops" / f"{name}.json").read_text())
        wanted = sum(counts.values()) + MORE.get(name, 0)
        trace, = (folder / "trace").glob(f"*-{pids[name]}-*.dltap")
        seen = own_flops(trace)
        percent = 100 * (seen / wanted - 1)
        print(f"{name}: {seen:.0f} of {wanted:.0f} ({percent:+.2f} %)")
        bad += abs(percent) > PERCENT
    return bad


if __name__ == "__main__":
    sys.exit(run_oracle(__doc__, PROGRAMS, run_both, check))
