// SPDX-License-Identifier: Apache-2.0
// The report of some of the used steps, as far as single steps are kept: their
// sums replace those of all. What is not kept of a step is null.
import type { ClassRow, Data, Pictures, Report, StepPart, Strip } from "./data";

export interface StepRange {
  first: number;  // numbers of steps, as the report counts them
  last: number;
}

export const rangeText = ({ first, last }: StepRange): string =>
  first === last ? `step ${first}` : `steps ${first} to ${last}`;

type Sums = Map<string, number>;

interface Chosen {
  steps: number;
  ns: number;
  lead: Sums;
  kernels: Sums;
  idle: Sums;
  phases: Sums;
  not_observed: Sums;
}

const KINDS = ["lead", "kernels", "idle", "phases", "not_observed"] as const;

const all = (sums: Sums): number =>
  [...sums.values()].reduce((sum, ns) => sum + ns, 0);

const isKnown = (strip: Strip, i: number): boolean =>
  Object.values(strip.phases).some((ns) => (ns[i] ?? 0) > 0);

function chosenOf(pictures: Pictures, range: StepRange): Chosen {
  const out: Chosen = { steps: 0, ns: 0, lead: new Map(), kernels: new Map(),
    idle: new Map(), phases: new Map(), not_observed: new Map() };
  for (const { strip } of pictures.devices) {
    strip.step.forEach((first, i) => {
      const count = strip.count[i] ?? 1;
      const inside = first >= range.first && first + count - 1 <= range.last;
      if (!inside || strip.use[i] !== "used" || !isKnown(strip, i)) return;
      out.steps += count;
      out.ns += strip.ns[i] ?? 0;
      for (const kind of KINDS) {
        for (const [key, ns] of Object.entries(strip[kind])) {
          out[kind].set(key, (out[kind].get(key) ?? 0) + (ns[i] ?? 0));
        }
      }
    });
  }
  return out;
}

// "conv/forward" -> conv.
function byClass(sums: Sums): Sums {
  const out: Sums = new Map();
  for (const [key, ns] of sums) {
    const name = key.slice(0, key.indexOf("/"));
    out.set(name, (out.get(name) ?? 0) + ns);
  }
  return out;
}

function partsOf(chosen: Chosen): StepPart[] {
  const part = (ns: number, of: Partial<StepPart>): StepPart => (
    { phase: "all", class: null, cause: null, ns: ns / chosen.steps, ...of });
  return [
    ...[...byClass(chosen.lead)].map(([name, ns]) => part(ns, { class: name })),
    ...[...chosen.idle].map(([name, ns]) => part(ns, { cause: name })),
    ...[...chosen.not_observed].map(([, ns]) => part(ns, {})),
  ].filter((each) => each.ns > 0);
}

const UNKNOWN = { cpu_dependency: null, tflops: null, of_peak: null };

function classRow(chosen: Chosen, name: string, gpu_ns: number, total_ns: number):
  ClassRow {
  const pass = (of: string) =>
    (chosen.kernels.get(`${name}/${of}`) ?? 0) / chosen.steps;
  return {
    ...UNKNOWN, class: name, kernels: 0, bound: null, host_ns: {}, device_ns: {},
    gpu_ns, share: total_ns > 0 ? gpu_ns / total_ns : null,
    step_mean: { gpu_ns: gpu_ns / chosen.steps, calls: 0, kernels: 0,
      forward_ns: pass("forward"), backward_ns: pass("backward"),
      update_ns: pass("update") },
  };
}

function totalOf(rows: ClassRow[]): Report["program"]["total"] {
  const sum = (of: keyof ClassRow["step_mean"]) =>
    rows.reduce((ns, row) => ns + row.step_mean[of], 0);
  return {
    ...UNKNOWN, gpu_ns: rows.reduce((ns, row) => ns + row.gpu_ns, 0),
    share: rows.length > 0 ? 1 : null,
    step_mean: { gpu_ns: sum("gpu_ns"), calls: 0, kernels: 0,
      forward_ns: sum("forward_ns"), backward_ns: sum("backward_ns"),
      update_ns: sum("update_ns") },
  };
}

function utilizationOf(chosen: Chosen, pictures: Pictures): number | null {
  let compute_ns = 0;
  for (const [name, ns] of byClass(chosen.lead)) {
    if (pictures.states[name] === "compute") compute_ns += ns;
  }
  const observed_ns = chosen.ns - all(chosen.not_observed) -
    (chosen.idle.get("profiler") ?? 0);
  return observed_ns > 0 ? compute_ns / observed_ns : null;
}

// null: none of the steps is used.
export function narrowed({ report, pictures }: Data, range: StepRange): Report | null {
  const chosen = chosenOf(pictures, range);
  if (chosen.steps === 0) return null;
  const classes = byClass(chosen.kernels);
  const rows = [...classes].filter(([, ns]) => ns > 0)
    .map(([name, ns]) => classRow(chosen, name, ns, all(classes)));
  const idle_ns = all(chosen.idle);
  return {
    ...report,
    narrowed_to: { steps: chosen.steps, phases: Object.fromEntries(
      [...chosen.phases].map(([name, ns]) => [name, ns / chosen.steps])) },
    steps: { ...report.steps, used_count: chosen.steps,
      mean_ns: chosen.ns / chosen.steps, stddev_ns: null },
    classes: rows,
    between_steps: { host_ns: Object.fromEntries(chosen.idle), device_ns: {} },
    program: {
      ...report.program,
      utilization: utilizationOf(chosen, pictures),
      cpu_dependency: null, samples_per_s: null, total: totalOf(rows),
      idle: { ns: idle_ns },
      step_mean: { idle_ns: idle_ns / chosen.steps,
        phases: { all_ns: chosen.ns / chosen.steps }, parts: partsOf(chosen) },
    },
  };
}
