# SPDX-License-Identifier: Apache-2.0
"""tinygrad: kernels of its own, compiled by NVRTC and launched by the driver
API, singly and as CUDA graphs."""

import os

os.environ["CUDA"] = "1"

import checks  # noqa: E402
import tinygrad  # noqa: E402
from tinygrad import Device, Tensor, TinyJit, nn  # noqa: E402


class Net:
    def __init__(self):
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm(8)
        self.linear = nn.Linear(8 * 8 * 8, 10)

    def __call__(self, x):
        x = self.norm(self.conv(x)).relu().max_pool2d()
        return self.linear(x.flatten(1))


@checks.check
def device():
    assert Device.DEFAULT == "CUDA", Device.DEFAULT
    assert Tensor.ones(4).realize().device == "CUDA"


@checks.check
def copies_keep_their_values():
    values = [[1.0, 2.0], [3.0, 4.0]]
    assert Tensor(values).to("CUDA").realize().tolist() == values


@checks.check
def matmul():
    for dtype in (tinygrad.dtypes.float32, tinygrad.dtypes.float16):
        a = Tensor.randn(64, 128).cast(dtype)
        assert (a @ a.T).realize().shape == (64, 64)


@checks.check
def training():
    net = Net()
    optimizer = nn.optim.Adam(nn.state.get_parameters(net), lr=0.01)

    @TinyJit
    def step(x, y):
        optimizer.zero_grad()
        loss = net(x).sparse_categorical_crossentropy(y).backward()
        optimizer.step()
        return loss.realize()

    with Tensor.train():
        for _ in range(6):  # the third call on replays
            loss = step(Tensor.randn(4, 3, 16, 16).realize(),
                        Tensor.zeros(4, dtype="int").contiguous().realize())
    assert loss.shape == () and loss.device == "CUDA"


@checks.check
def board():
    import pynvml

    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    bus = pynvml.nvmlDeviceGetPciInfo(handle).busId
    assert pynvml.nvmlDeviceGetIndex(
        pynvml.nvmlDeviceGetHandleByPciBusId(bus)) == 0
    assert pynvml.nvmlDeviceGetEnforcedPowerLimit(handle) == 700_000


checks.run_all()
