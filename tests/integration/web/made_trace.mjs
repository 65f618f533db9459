// SPDX-License-Identifier: Apache-2.0
// A Kineto trace with all that the page has a picture of: steps, two threads,
// a copy, a wait, kernels of several classes, names that look like markup.

export const EVIL = "<img src=x onerror=window.__ran=1>";

const KERNELS = [
  ["aten::mm", "ampere_sgemm_128x64_tn", 120],
  ["aten::relu", "void at::native::vectorized_elementwise_kernel<4>(int)", 30],
  ["aten::native_batch_norm", "void bn_fw_tr_1C11_kernel_NCHW<float>(int)", 60],
  ["custom::evil", EVIL, 25],
];

class Maker {
  constructor(rank, slow, uneven) {
    this.rank = rank;
    this.slow = slow;
    this.uneven = uneven;
    this.events = [];
    this.correlation = rank * 10000;
  }

  add(cat, name, ts, dur, tid, args = {}) {
    const on_gpu = ["kernel", "gpu_memcpy"].includes(cat);
    this.events.push({ ph: "X", cat, name, ts, dur, args,
      pid: on_gpu ? 0 : 100 + this.rank, tid });
  }

  // A call, and what it starts on the GPU when that is free.
  launch(api, at, cat, name, gpu_at, dur, args) {
    const correlation = ++this.correlation;
    this.add("cuda_runtime", api, at, 4, 7, { correlation });
    this.add(cat, name, gpu_at, dur, 7,
      { correlation, device: 0, stream: 7, context: 1, ...args });
  }

  step(number, at, marked) {
    let host = at + 10;
    let gpu = at + 30;
    this.launch("cudaMemcpyAsync", host, "gpu_memcpy",
      "Memcpy HtoD (Pageable -> Device)", gpu, 40, { bytes: 1 << 20 });
    gpu += 45;
    for (const [op, kernel, dur] of KERNELS) {
      host += 12;
      this.add("cpu_op", op, host - 3, 10, 7);
      const length = dur * (number === 2 ? this.slow : 1) +
        (this.uneven ? 7 * number + this.rank : 0);
      this.launch("cudaLaunchKernel", host, "kernel", kernel, gpu, length,
        { grid: [8, 1, 1], block: [128, 1, 1], "registers per thread": 32 });
      gpu += length + 2 + (this.uneven ? number : 0);
    }
    this.add("cuda_runtime", "cudaStreamSynchronize", host + 8, gpu - host - 8, 7,
      { correlation: ++this.correlation });
    if (marked) this.add("user_annotation", `ProfilerStep#${number}`, at, gpu + 20 - at, 7);
    return gpu + 25;
  }
}

export function madeTrace({ rank = 0, ranks = 1, steps = 6, marked = true,
  slow = 2, uneven = false } = {}) {
  const maker = new Maker(rank, slow, uneven);
  let at = 1000;
  for (let number = 0; number < steps; number++) at = maker.step(number, at, marked);
  return JSON.stringify({
    schemaVersion: 1,
    deviceProperties: [{ id: 0, name: "NVIDIA H100 80GB HBM3", numSms: 132,
      computeMajor: 9, computeMinor: 0 }],
    distributedInfo: ranks > 1 ? { backend: "nccl", rank, world_size: ranks } : undefined,
    traceEvents: maker.events,
  }, null, 1);
}
