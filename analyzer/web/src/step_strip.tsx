// SPDX-License-Identifier: Apache-2.0
// One column per step, in time: its classes, idle time above them; steps that
// are not in the numbers are grey.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { classColor, hatchPattern } from "./colors";
import type { DevicePicture, Report, Strip } from "./data";
import { className, ms, percent, words } from "./format";
import { Section } from "./section";
import type { Ink } from "./theme";
import { hideTip, showTip } from "./tooltip";

const HEIGHT = 150;
const LEFT = 56;
const TOP = 10;
const FOOT = 22;

interface Columns {
  strip: Strip;
  each: number[];  // ns of one step; bins: their mean
  most: number;    // the height of the picture, ns
}

// Up to a number that reads well.
function rounded(ns: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, ns)));
  const factor = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10]
    .find((each) => each * power >= ns) ?? 10;
  return factor * power;
}

// A first step that lasts a hundred times as long does not flatten the others.
function columnsOf(strip: Strip): Columns {
  const each = strip.ns.map((ns, i) => ns / (strip.count[i] ?? 1));
  const used = each.filter((_, i) => strip.use[i] === "used").sort((a, b) => a - b);
  const median = used[Math.floor(used.length / 2)] ?? 1;
  let longest = 1;
  for (const ns of each) longest = Math.max(longest, ns);
  return { strip, each, most: rounded(Math.min(longest, 3 * median)) };
}

// Of the classes, then the causes; the largest total first.
function layersOf(strip: Strip): { name: string; idle: boolean; ns: number[] }[] {
  const sum = (values: number[]) => values.reduce((all, ns) => all + ns, 0);
  const list = (rows: Record<string, number[]>, idle: boolean) =>
    Object.entries(rows).map(([name, ns]) => ({ name, idle, ns }))
      .sort((a, b) => sum(b.ns) - sum(a.ns));
  return [...list(strip.classes, false), ...list(strip.idle, true)];
}

function stepName(strip: Strip, i: number): string {
  const first = strip.step[i] ?? 0;
  const count = strip.count[i] ?? 1;
  return count === 1 ? `step ${first}` : `steps ${first} to ${first + count - 1}`;
}

function linesOf(columns: Columns, i: number): string[] {
  const { strip, each } = columns;
  const parts = layersOf(strip)
    .map((layer) => ({ ...layer, here: layer.ns[i] ?? 0 }))
    .filter((layer) => layer.here > 0)
    .sort((a, b) => b.here - a.here).slice(0, 5)
    .map((layer) => `${layer.idle ? `idle: ${words(layer.name)}`
      : className(layer.name)} ${ms(layer.here / (strip.count[i] ?? 1))} ms, ` +
      `${percent(layer.here / (strip.ns[i] ?? 1))} %`);
  const use = strip.use[i] ?? "used";
  return [
    `${stepName(strip, i)}: ${ms(each[i])} ms`,
    use === "used" ? "" : `left out: ${words(use)}`,
    ...parts,
  ];
}

function draw(canvas: HTMLCanvasElement, columns: Columns, ink: Ink,
  chosen: number): void {
  const { strip, each, most } = columns;
  const width = canvas.clientWidth;
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = HEIGHT * scale;
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  pen.scale(scale, scale);
  pen.font = "11px system-ui, sans-serif";
  pen.fillStyle = ink.dim;
  pen.textAlign = "right";
  const floor = HEIGHT - FOOT;
  const y = (ns: number) => floor - (ns / most) * (floor - TOP);
  for (const ns of [0, most / 2, most]) {
    pen.fillText(ms(ns), LEFT - 8, y(ns) + 4);
    pen.fillStyle = ink.line;
    pen.fillRect(LEFT, Math.round(y(ns)), width - LEFT, 1);
    pen.fillStyle = ink.dim;
  }
  const pitch = (width - LEFT) / each.length;
  const bar = Math.max(1, pitch - (pitch > 4 ? 2 : 0));
  const layers = layersOf(strip).map((layer) => ({
    ...layer,
    fill: layer.idle ? hatchPattern(pen, layer.name, ink.hatch, ink.idle)
      : classColor(layer.name),
  }));
  each.forEach((ns, i) => {
    const x = LEFT + i * pitch;
    let at = 0;
    pen.save();
    pen.beginPath();
    pen.rect(x, TOP, bar, floor - TOP);
    pen.clip();
    if (strip.use[i] !== "used") {
      pen.fillStyle = ink.hatch;
      pen.globalAlpha = 0.55;
      pen.fillRect(x, y(ns), bar, floor - y(ns));
    } else {
      for (const layer of layers) {
        const part = (layer.ns[i] ?? 0) / (strip.count[i] ?? 1);
        if (part === 0) continue;
        pen.fillStyle = layer.fill;
        pen.fillRect(x, y(at + part), bar, y(at) - y(at + part));
        at += part;
      }
    }
    pen.restore();
    if (ns > most) {  // cut off
      pen.fillStyle = ink.text;
      pen.fillRect(x, TOP - 4, bar, 2);
    }
    if (i === chosen) {
      pen.strokeStyle = ink.accent;
      pen.lineWidth = 2;
      pen.strokeRect(x - 0.5, TOP - 1, bar + 1, floor - TOP + 2);
    }
  });
  pen.fillStyle = ink.dim;
  pen.textAlign = "left";
  pen.fillText(stepName(strip, 0), LEFT, HEIGHT - 6);
  pen.textAlign = "right";
  pen.fillText(stepName(strip, each.length - 1), width, HEIGHT - 6);
}

export function StepStrip(props: {
  report: Report; device: DevicePicture; ink: Ink;
}) {
  const { report, device, ink } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [chosen, setChosen] = useState(-1);
  const columns = useMemo(() => columnsOf(device.strip), [device]);
  const count = columns.each.length;
  useEffect(() => {
    const paint = () =>
      canvas.current !== null && draw(canvas.current, columns, ink, chosen);
    paint();
    addEventListener("resize", paint);
    return () => removeEventListener("resize", paint);
  }, [columns, ink, chosen]);
  if (count === 0) return null;
  const show = (i: number, x: number, y: number) => {
    setChosen(i);
    showTip(x, y, linesOf(columns, i));
  };
  const over = (event: MouseEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return;
    const i = Math.floor(((event.clientX - box.left - LEFT) / (box.width - LEFT)) * count);
    if (i >= 0 && i < count) show(i, event.clientX, event.clientY);
  };
  const key = (event: KeyboardEvent) => {
    const by = event.key === "]" || event.key === "ArrowRight" ? 1
      : event.key === "[" || event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const i = Math.min(count - 1, Math.max(0, chosen + by));
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return;
    show(i, box.left + LEFT + ((i + 0.5) / count) * (box.width - LEFT), box.top + 40);
  };
  const leave = () => { setChosen(-1); hideTip(); };
  const left_out = report.left_out.filter((row) => row.steps > 0)
    .map((row) => `${row.steps} ${words(row.reason)}`).join(", ");
  return (
    <Section id="steps" title="Steps" note={
      `${report.steps.used_count} of ${report.steps.count} used, found by ` +
      `${report.steps.found_by}` + (left_out === "" ? "." : `; left out, grey: ${left_out}.`) +
      (device.steps > count ? ` A column holds up to ${Math.max(...device.strip.count)} steps.` : "")}>
      <canvas ref={canvas} class="strip" tabIndex={0} role="img"
        aria-label={`times of ${device.steps} steps; arrow keys go through them`}
        onMouseMove={over} onMouseLeave={leave} onKeyDown={key} onBlur={leave} />
    </Section>
  );
}
