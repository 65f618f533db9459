# SPDX-License-Identifier: Apache-2.0
"""PyTorch's expandable segments: memory by cuMemCreate and cuMemMap."""
import torch

model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(),
                            torch.nn.Linear(256, 16)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in (16, 512, 64):
    data = torch.randn(batch, 256).cuda()
    loss = model(data).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    assert loss.device.type == "cuda", loss.device
settings = torch.cuda.memory_snapshot()
assert all(segment["is_expandable"] for segment in settings), settings
print("ok", len(settings), "segments")
