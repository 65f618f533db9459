# SPDX-License-Identifier: Apache-2.0
"""JAX: single operations, each on the device, through XLA and the vendor's
libraries."""

import checks
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import sparse

GPU = jax.devices()[0]


def on_gpu(*values):
    for leaf in jax.tree.leaves(values):
        assert leaf.devices() == {GPU}, leaf.devices()
        leaf.block_until_ready()
    return values[0] if len(values) == 1 else values


def filled(*shape, dtype=jnp.float32):
    return jnp.full(shape, 0.5, dtype)


@checks.check
def devices():
    assert GPU.platform == "gpu" and "H100" in GPU.device_kind, GPU.device_kind
    assert GPU.memory_stats()["bytes_limit"] > 1 << 30


@checks.check
def elementwise():
    assert on_gpu(jnp.exp(filled(1000)) * 2 + 1).shape == (1000,)


@checks.check
def copies():
    data = jnp.asarray(range(100))
    on_gpu(data)
    assert list(jax.device_get(data)) == list(range(100))


@checks.check
def reductions():
    on_gpu(jnp.sum(filled(512, 512), axis=0), jnp.max(filled(512, 512)))


@checks.check
def sorting():
    on_gpu(jnp.sort(filled(4096)), jnp.argsort(filled(4096)))


@checks.check
def random_numbers():
    on_gpu(jax.random.normal(jax.random.PRNGKey(0), (1000,)))


@checks.check
def matmul():
    for dtype in (jnp.float32, jnp.bfloat16, jnp.float16):
        x = filled(256, 512, dtype=dtype)
        assert on_gpu(x @ x.T).dtype == dtype


@checks.check
def batched_matmul():
    x = filled(8, 64, 32)
    assert on_gpu(jnp.einsum("bij,bkj->bik", x, x)).shape == (8, 64, 64)


@checks.check
def convolution_and_gradients():
    image, kernel = filled(8, 32, 32, 16), filled(3, 3, 16, 32)

    def loss(image, kernel):
        return lax.conv_general_dilated(
            image, kernel, (1, 1), "SAME",
            dimension_numbers=("NHWC", "HWIO", "NHWC")).sum()

    d_image, d_kernel = on_gpu(
        jax.jit(jax.grad(loss, argnums=(0, 1)))(image, kernel))
    assert d_image.shape == image.shape and d_kernel.shape == kernel.shape


@checks.check
def cudnn_attention():
    query = filled(2, 128, 4, 64, dtype=jnp.bfloat16)

    def loss(q):
        return jax.nn.dot_product_attention(
            q, query, query, is_causal=True, implementation="cudnn").sum()

    assert on_gpu(jax.jit(jax.grad(loss))(query)).shape == query.shape


@checks.check
def loops():
    def step(carry, x):
        return carry * 0.5 + x, carry

    on_gpu(jax.jit(lambda x: lax.scan(step, filled(64), x))(filled(10, 64)))
    on_gpu(jax.jit(lambda x: lax.fori_loop(
        0, 5, lambda i, v: jnp.tanh(v), x))(filled(64)))


@checks.check
def fft():
    on_gpu(jnp.fft.rfft(filled(16, 256)), jnp.fft.ifft2(filled(4, 64, 64)))


@checks.check
def dense_solvers():
    matrix = jnp.eye(32) * 2
    on_gpu(jnp.linalg.cholesky(matrix), jnp.linalg.qr(matrix),
           jnp.linalg.eigh(matrix), jnp.linalg.svd(matrix),
           jnp.linalg.solve(matrix, filled(32)))


@checks.check
def triangular_solve():
    on_gpu(jax.scipy.linalg.solve_triangular(jnp.eye(64), filled(64, 8)))


@checks.check
def sparse_products():
    matrix = sparse.BCOO.fromdense(jnp.eye(32), nse=32)
    on_gpu(jax.jit(lambda m, x: m @ x)(matrix, filled(32, 4)))
    rows = sparse.BCSR.fromdense(jnp.eye(32), nse=32)
    on_gpu(jax.jit(lambda m, x: m @ x)(rows, filled(32, 4)))


@checks.check
def host_callback():
    seen = []
    jax.debug.callback(lambda x: seen.append(x.shape), filled(3))
    jax.effects_barrier()
    assert seen == [(3,)], seen


checks.run_all()
