# SPDX-License-Identifier: Apache-2.0
"""The models of the scoreboard: by a row of the truth, what makes one step.

Each builder returns (model, inputs, targets, loss); `loss` takes what the model
gives and the targets. Weights are the initial ones, made on the device.
"""

import torch
import torch.nn.functional as F

# Names of timm before 0.9 whose models have another name or shape by default
# today: `gamma` models have kept theirs.
TIMM_RENAMED = {
    "vit_base_patch16_224_sam": "vit_base_patch16_224",
    "beit_base_patch16_224_in22k": "beit_base_patch16_224",
}


def image_batch(row):
    channels, height, width = (int(n) for n in row["shape"].split("x"))
    return torch.randn(int(row["batch"]), channels, height, width)


def class_targets(row, classes):
    return torch.zeros(int(row["batch"]), dtype=torch.int64) % classes


def first_of(output):
    return output[0] if isinstance(output, tuple) else output


def class_loss(output, targets):
    return F.cross_entropy(first_of(output), targets)


def build_timm(row):
    import timm
    # PyTorch 1 had no fused attention.
    timm.layers.set_fused_attn(not row["torch"].startswith("1."))
    name = TIMM_RENAMED.get(row["model"], row["model"])
    model = timm.create_model(name)
    return model, (image_batch(row),), class_targets(row, 1000), class_loss


def build_torchvision(row):
    import torchvision
    model = getattr(torchvision.models, row["model"])()
    return model, (image_batch(row),), class_targets(row, 1000), class_loss


def build_cifar_resnet18(row):
    """kuangliu's ResNet-18 for CIFAR-10: no stem pooling, 3x3 stem."""
    import torchvision
    model = torchvision.models.resnet18(num_classes=10)
    model.conv1 = torch.nn.Conv2d(3, 64, 3, padding=1, bias=False)
    model.maxpool = torch.nn.Identity()
    return model, (image_batch(row),), class_targets(row, 10), class_loss


def build_bert(row):
    """BERT with the head for questions and answers, as SQuAD trains it."""
    import transformers
    sizes = {"bert_base_squad": (768, 12, 12), "bert_large_squad":
             (1024, 24, 16)}
    width, layers, heads = sizes[row["model"]]
    config = transformers.BertConfig(
        hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=4 * width, attn_implementation="sdpa")
    model = transformers.BertForQuestionAnswering(config)
    length = int(row["shape"].split()[-1])
    tokens = torch.zeros(int(row["batch"]), length, dtype=torch.int64)
    targets = torch.zeros(int(row["batch"]), dtype=torch.int64)

    def loss(output, targets):
        return (F.cross_entropy(output.start_logits, targets) +
                F.cross_entropy(output.end_logits, targets)) / 2
    return model, (tokens,), targets, loss


BUILDERS = {"timm": build_timm, "torchvision": build_torchvision,
            "cifar": build_cifar_resnet18, "bert": build_bert}
