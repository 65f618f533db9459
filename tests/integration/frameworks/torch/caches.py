# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own kernel cache: a kernel that is compiled at run time is not kept
where the user's are. The caller looks at the home folder."""
import os
import pathlib
import warnings

import torch

warnings.simplefilter("error")
assert pathlib.Path(os.environ["HOME"], ".cache").is_dir()
assert "XDG_CACHE_HOME" not in os.environ
twice = torch.cuda.jiterator._create_jit_fn(
    "template <typename T> T twice(T x) { return x + x; }")
for dtype in (torch.float32, torch.float64):
    assert twice(torch.ones(100, device="cuda", dtype=dtype)).dtype == dtype
torch.cuda.synchronize()
print("ok")
