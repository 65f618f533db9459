// SPDX-License-Identifier: Apache-2.0
// Log-log: operations per byte against operations per second, under the roofs
// of the GPU. A point's area is its time.
import { classColor } from "./colors";
import type { DevicePicture, Pictures, Report, RooflineRow } from "./data";
import { className, decimal, ms, percent, shortName, words } from "./format";
import { Section } from "./section";
import { hideTip, tipHandlers } from "./tooltip";

const WIDTH = 1180;
const HEIGHT = 420;
const LEFT = 64;
const BOTTOM = 44;
const MOST_KERNELS = 150;

type Point = RooflineRow & { intensity: number; achieved_tflops: number };

interface Scale {
  x: (intensity: number) => number;
  y: (tflops: number) => number;
  xs: number[];
  ys: number[];
}

const isPoint = (row: RooflineRow): row is Point =>
  (row.intensity ?? 0) > 0 && (row.achieved_tflops ?? 0) > 0;

function decades(least: number, most: number): number[] {
  const out: number[] = [];
  for (let e = Math.floor(Math.log10(least)); e <= Math.ceil(Math.log10(most)); e++) {
    out.push(10 ** e);
  }
  return out;
}

function scaleOf(points: Point[], device: DevicePicture | undefined): Scale {
  const bandwidth = (device?.bandwidth_gbs ?? 1000) / 1e3;  // TB/s
  const peak = Math.max(1, ...(device?.roofs ?? []).map((roof) => roof.tflops));
  const xs = decades(
    Math.min(0.1, ...points.map((point) => point.intensity)),
    Math.max(10 * peak / bandwidth / 10, ...points.map((point) => point.intensity)));
  const ys = decades(Math.min(0.1, ...points.map((point) => point.achieved_tflops)), peak);
  const log = (values: number[], from: number, to: number) => {
    const first = Math.log10(values[0] ?? 1);
    const last = Math.log10(values[values.length - 1] ?? 10);
    return (value: number) =>
      from + ((Math.log10(value) - first) / (last - first)) * (to - from);
  };
  return {
    x: log(xs, LEFT, WIDTH - 16), y: log(ys, HEIGHT - BOTTOM, 16), xs, ys,
  };
}

function Axes({ scale }: { scale: Scale }) {
  const number = (value: number) => value >= 1
    ? value.toLocaleString("en-US") : String(Number(value.toPrecision(1)));
  return (
    <g class="axes">
      {scale.xs.map((value) => (
        <g key={value}>
          <line x1={scale.x(value)} x2={scale.x(value)} y1={16} y2={HEIGHT - BOTTOM} />
          <text x={scale.x(value)} y={HEIGHT - BOTTOM + 16} text-anchor="middle">
            {number(value)}</text>
        </g>
      ))}
      {scale.ys.map((value) => (
        <g key={value}>
          <line x1={LEFT} x2={WIDTH - 16} y1={scale.y(value)} y2={scale.y(value)} />
          <text x={LEFT - 8} y={scale.y(value) + 4} text-anchor="end">
            {number(value)}</text>
        </g>
      ))}
      <text x={(LEFT + WIDTH) / 2} y={HEIGHT - 6} text-anchor="middle">
        FLOP per byte</text>
      <text x={14} y={HEIGHT / 2} text-anchor="middle"
        transform={`rotate(-90 14 ${HEIGHT / 2})`}>TFLOP/s executed</text>
    </g>
  );
}

// Types of one peak share a line.
function together(roofs: DevicePicture["roofs"]): DevicePicture["roofs"] {
  const names = new Map<number, string[]>();
  for (const { name, tflops } of roofs) {
    const key = Math.round(tflops);
    names.set(key, [...names.get(key) ?? [], name]);
  }
  return [...names].map(([tflops, of]) => ({ name: of.join(", "), tflops }));
}

function Roofs({ scale, device }: { scale: Scale; device: DevicePicture }) {
  if (device.bandwidth_gbs === null) return null;
  const bandwidth = device.bandwidth_gbs / 1e3;
  const left = scale.xs[0] ?? 1;
  const right = scale.xs[scale.xs.length - 1] ?? 10;
  const lowest = scale.ys[0] ?? 0.1;
  const from = Math.max(left, lowest / bandwidth);
  const named = together(device.roofs);
  const slope = 0.5 * Math.min(...named.map(({ tflops }) => tflops)) / bandwidth;
  return (
    <g class="roofs">
      {named.map(({ name, tflops }) => {
        const ridge = tflops / bandwidth;
        return (
          <g key={name}>
            <polyline points={[[from, from * bandwidth], [ridge, tflops], [right, tflops]]
              .map(([x = 1, y = 1]) => `${scale.x(x)},${scale.y(y)}`).join(" ")} />
            <text x={WIDTH - 20} y={scale.y(tflops) - 5} text-anchor="end">
              {name} {decimal(tflops, 0)}</text>
          </g>
        );
      })}
      <text x={scale.x(slope) - 8} y={scale.y(slope * bandwidth) - 6}
        text-anchor="end">memory {decimal(bandwidth, 2)} TB/s</text>
    </g>
  );
}

function Dot({ point, scale, largest }: {
  point: Point; scale: Scale; largest: number;
}) {
  const radius = 3 + 15 * Math.sqrt(point.gpu_ns / largest);
  const x = scale.x(point.intensity);
  const y = scale.y(point.achieved_tflops);
  const is_class = point.kernel === null;
  const label = point.kernel === null ? className(point.class)
    : shortName(point.kernel);
  return (
    <g class={is_class ? "class" : "kernel"} {...tipHandlers([
      label,
      `${decimal(point.achieved_tflops, 2)} TFLOP/s at ` +
        `${decimal(point.intensity, 1)} FLOP per byte`,
      `${percent(point.of_attainable)} % of what is attainable`,
      `${ms(point.gpu_ns)} ms in ${point.count} launches`,
      point.bound === null ? "" : `bound by ${words(point.bound)}`,
    ])}>
      <circle cx={x} cy={y} r={is_class ? radius : Math.max(2.5, radius * 0.6)}
        fill={classColor(point.class)} />
      {is_class && point.gpu_ns / largest > 0.02 &&
        <text x={x} y={y - radius - 4} text-anchor="middle">{label}</text>}
    </g>
  );
}

export function Roofline({ report, pictures }: {
  report: Report; pictures: Pictures;
}) {
  const points = report.roofline.filter(isPoint);
  if (points.length === 0) return null;
  const classes = points.filter((point) => point.kernel === null);
  const kernels = points.filter((point) => point.kernel !== null)
    .slice(0, MOST_KERNELS);
  const device = pictures.devices[0];
  const scale = scaleOf([...classes, ...kernels], device);
  const largest = Math.max(...points.map((point) => point.gpu_ns));
  return (
    <Section id="roofline" of_all title="Roofline" note={
      "Large: classes; small: kernels; area: GPU time." + (
        device === undefined || device.bandwidth_gbs === null
          ? " The peaks of this GPU are not known." : ` Roofs: ${device.name}.`)}>
      <div class="scroll" tabIndex={0} role="region" aria-label="roofline">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} class="roofline" role="img"
          aria-label={`${classes.length} classes and ${kernels.length} kernels under the roofs`}
          onMouseLeave={hideTip}>
          <Axes scale={scale} />
          {device !== undefined && <Roofs scale={scale} device={device} />}
          {kernels.map((point) => <Dot key={point.class + point.kernel}
            point={point} scale={scale} largest={largest} />)}
          {classes.map((point) => <Dot key={point.class} point={point}
            scale={scale} largest={largest} />)}
        </svg>
      </div>
    </Section>
  );
}
