#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains Faster R-CNN (Ren et al. 2015) on random images; torch, torchvision.

torchvision's, with a ResNet-50 and a feature pyramid. Where values are not
computed, proposals are those that a program sees then: see the simulated GPU's
DLTAP_SIM_VALUES.
"""
import argparse

import torch
from torchvision.models.detection import fasterrcnn_resnet50_fpn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--size", type=int, default=600)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None,
                                    num_classes=21).to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    images = [torch.rand(3, args.size, args.size) for _ in range(args.batch)]
    targets = [{"boxes": torch.tensor([[50.0, 60.0, 300.0, 400.0],
                                       [200.0, 100.0, 500.0, 380.0]]),
                "labels": torch.tensor([3, 7])} for _ in range(args.batch)]
    for step in range(args.steps):
        losses = model([image.to(args.device) for image in images],
                       [{name: value.to(args.device)
                         for name, value in target.items()}
                        for target in targets])
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{args.steps} steps, loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
