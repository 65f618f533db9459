// SPDX-License-Identifier: Apache-2.0
// What the page is made of: the report as `dltap report --json` prints it (of
// which only the fields in use stand here; report.schema.json has all), and
// what JsonPictures (analyzer/web/json_pictures.cc) adds.

export type Maybe = number | null;
export type Causes = Record<string, Maybe>;

export interface StepMean {
  gpu_ns: number;
  calls: number;
  kernels: number;
  forward_ns: number;
  backward_ns: number;
  update_ns: number;
}

export interface Figures {
  gpu_ns: number;
  share: Maybe;
  cpu_dependency: Maybe;
  tflops: Maybe;
  of_peak: Maybe;
  step_mean: StepMean;
}

export interface ClassRow extends Figures {
  class: string;
  kernels: number;
  bound: string | null;
  host_ns: Causes;
  device_ns: Causes;
}

export interface KernelRow {
  name: string;
  class: string;
  count: number;
  gpu_ns: number;
  mean_ns: Maybe;
  share: Maybe;
}

export interface OpRow {
  name: string;
  class: string;
  direction: string;
  count: number;
  gpu_ns: number;
  share: Maybe;
  tflops: Maybe;
  kernels: { name: string; count: number; gpu_ns: number }[];
}

export interface RooflineRow {
  kernel: string | null;
  class: string;
  count: number;
  gpu_ns: number;
  intensity: Maybe;
  attainable_tflops: Maybe;
  achieved_tflops: Maybe;
  of_attainable: Maybe;
  bound: string | null;
}

export interface StepPart {
  phase: string;
  class: string | null;
  cause: string | null;
  ns: number;
}

export interface DeviceRow {
  process: string;
  rank: Maybe;
  id: number;
  name: string | null;
  wall_ns: number;
  compute_ns: number;
  comm_exposed_ns: number;
  comm_waiting_ns: number;
  comm_transfer_ns: number;
  copy_exposed_ns: number;
  idle_ns: number;
  not_observed_ns: number;
  utilization: Maybe;
}

export interface Advice {
  id: string;
  text: string;  // "ACT: GAIN"
  act?: string;
  why?: string;
  class: string | null;
  phase: string | null;
  gain_low_ns: Maybe;
  gain_high_ns: Maybe;
  basis?: string;
}

export type SeenState = "input" | "between_calls" | "wait" | "call";

export interface SeenRow {
  state: SeenState;
  name: string;
  looks: number;
  of_looks: number;
  step_ns: number;
}

export interface Report {
  // Only of what narrow.ts makes: of so many steps, their mean by phase.
  narrowed_to?: { steps: number; phases: Record<string, number> };
  source: {
    format: string;
    files: string[];
    program: string | null;
    simulated: boolean;
    in_slices: boolean;
  };
  program: {
    command: string | null;
    processes: number;
    gpus: { name: string; count: number }[];
    per_step: number;
    utilization: Maybe;
    cpu_dependency: Maybe;
    comm_exposed_share: Maybe;
    longest_wall_ns: Maybe;
    samples_per_s: Maybe;
    unknown_in: { class: string | null; name: string; ns: number; step_ns: number }[];
    seen_in: SeenRow[];
    idle: { ns: number };
    step_mean: {
      idle_ns: number;
      phases: Record<string, number>;
      parts: StepPart[];
    };
    total: Figures;
  };
  devices: DeviceRow[];
  steps: {
    count: number;
    used_count: number;
    mean_ns: Maybe;
    stddev_ns: Maybe;
    found_by: string;
  };
  coverage: { share: Maybe };
  left_out: { reason: string; steps: number; gpu_ns: number }[];
  classes: ClassRow[];
  between_steps: { host_ns: Causes; device_ns: Causes };
  limit: { text?: string }[];
  advice?: Advice[];
  apis: {
    name: string;
    calls: number;
    cpu_ns: number;
    mean_cpu_ns: Maybe;
    gpu_ns: number;
  }[];
  kernels: KernelRow[];
  ops: OpRow[];
  roofline: RooflineRow[];
  trust: {
    warnings: { id: string; text: string }[];
    lost_records: number;
    classified_share: Maybe;
    flops_known_share: Maybe;
    launches_without_kernel: number;
    kernels_without_launch: number;
    level: string | null;
    why: string | null;
    overhead_ns: Maybe;
    clock_residual_ns: Maybe;
  };
}

// A row of each column is one span; begins are distances from the row before.
export interface Lane {
  kind: "idle" | "stream" | "thread";
  name: string;
  begin: number[];
  ns: number[];
  text: number[];
  detail: number[];
  count: number[];
  color: number[];
  call: number[];
}

export interface Timeline {
  which: "fastest" | "median" | "slowest" | "only" | "run" | "gap";
  process: number;
  step: number | null;
  window: [number, number];
  extent: [number, number];
  together: number;
  lanes: Lane[];
}

// Columns by step, or by some steps in a row. Keys of `lead` and `kernels` are
// "class/pass", where a pass is "forward", "backward", "update" or nothing.
export interface Strip {
  process: number[];
  step: number[];
  count: number[];
  begin: number[];
  ns: number[];
  use: string[];
  lead: Record<string, number[]>;     // with idle and not_observed: the step
  kernels: Record<string, number[]>;  // overlaps count twice
  idle: Record<string, number[]>;
  phases: Record<string, number[]>;   // the step
  not_observed: Record<string, number[]>;
}

export interface LongGap {
  span: [number, number];
  process: number;
  step: number;
  cause: string;
  cause_ns: number;
  class: string | null;
  before: number;
  after: number;
  call: number;
  timeline: number | null;  // that shows it
}

export interface LayerOp {
  name: number;  // layer_texts, as kernels
  direction: string;
  count: number;
  gpu_ns: number;
  tflops: Maybe;
  kernels: number[];
  counts: number[];
  ns: number[];
}

// What a layer, or what no layer owns, has of a class.
export interface LayerBranch {
  class: string;
  name: string;
  kernels: number;
  gpu_ns: number;
  tflops: Maybe;
  ops: LayerOp[];
}

export interface DevicePicture {
  processes: string[];
  ranks: Maybe[];
  id: number;
  name: string;
  bandwidth_gbs: Maybe;
  roofs: { name: string; tflops: number }[];
  steps: number;
  strip: Strip;
  gaps: LongGap[];
  timelines: Timeline[];
}

export interface Pictures {
  limit: string;
  classes: string[];
  states: Record<string, string>;  // "compute", "comm", "copy", by class
  causes: string[];
  drawn: boolean;
  texts: string[];
  devices: DevicePicture[];
  layers: LayerBranch[];
  layer_texts: string[];
}

export interface Data {
  report: Report;
  pictures: Pictures;
}

export const processLabel = (device: DevicePicture, process: number): string => {
  const rank = device.ranks[process];
  return rank === null || rank === undefined
    ? device.processes[process] ?? "?" : `rank ${rank}`;
};

export function deviceLabel(device: DevicePicture): string {
  const rank = device.ranks[0];
  const who = rank === null || rank === undefined
    ? device.processes.join(", ")
    : `rank ${rank}`;
  return `GPU ${device.id} · ${who}`;
}

// Distances to positions.
export function positions(origin: number, distances: number[]): Float64Array {
  const out = new Float64Array(distances.length);
  let at = origin;
  distances.forEach((distance, i) => {
    at += distance;
    out[i] = at;
  });
  return out;
}
