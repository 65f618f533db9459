// SPDX-License-Identifier: Apache-2.0
// One column per step, in time: its classes, idle time above them; steps that
// are not in the numbers are grey.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { classColor, hatchPattern } from "./colors";
import type { DevicePicture, Report, Strip } from "./data";
import { className, ms, percent, words } from "./format";
import type { StepRange } from "./narrow";
import { Section } from "./section";
import type { Ink } from "./theme";
import { hideTip, showTip } from "./tooltip";

const HEIGHT = 150;
const LEFT = 56;
const TOP = 10;
const FOOT = 22;

interface Layer {
  name: string;
  idle: boolean;
  ns: number[];
}

interface Columns {
  strip: Strip;
  layers: Layer[];
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
  return { strip, layers: layersOf(strip), each,
    most: rounded(Math.min(longest, 3 * median)) };
}

// "conv/forward" and "conv/backward" are one.
function classesOf(strip: Strip): Record<string, number[]> {
  const out: Record<string, number[]> = {};
  for (const [key, ns] of Object.entries(strip.lead)) {
    const name = key.slice(0, key.indexOf("/"));
    const sums = out[name];
    out[name] = sums === undefined ? ns : sums.map((sum, i) => sum + (ns[i] ?? 0));
  }
  return out;
}

// Of the classes, then the causes; the largest total first.
function layersOf(strip: Strip): Layer[] {
  const sum = (values: number[]) => values.reduce((all, ns) => all + ns, 0);
  const list = (rows: Record<string, number[]>, idle: boolean) =>
    Object.entries(rows).map(([name, ns]) => ({ name, idle, ns }))
      .sort((a, b) => sum(b.ns) - sum(a.ns));
  return [...list(classesOf(strip), false), ...list(strip.idle, true)];
}

function stepName(strip: Strip, i: number): string {
  const first = strip.step[i] ?? 0;
  const count = strip.count[i] ?? 1;
  return count === 1 ? `step ${first}` : `steps ${first} to ${first + count - 1}`;
}

function linesOf(columns: Columns, i: number): string[] {
  const { strip, each } = columns;
  const parts = columns.layers
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

// The columns from..to are chosen.
interface Span {
  from: number;
  to: number;
}

function draw(canvas: HTMLCanvasElement, columns: Columns, ink: Ink,
  chosen: number, span: Span | null): void {
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
  const layers = columns.layers.map((layer) => ({
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
  if (span !== null) {
    const left = LEFT + span.from * pitch;
    const right = LEFT + (span.to + 1) * pitch;
    pen.fillStyle = ink.panel;
    pen.globalAlpha = 0.7;
    pen.fillRect(LEFT, TOP - 6, left - LEFT, floor - TOP + 6);
    pen.fillRect(right, TOP - 6, width - right, floor - TOP + 6);
    pen.globalAlpha = 1;
    pen.fillStyle = ink.accent;
    pen.fillRect(left, floor, Math.max(2, right - left), 3);
  }
  pen.fillStyle = ink.dim;
  pen.textAlign = "left";
  pen.fillText(stepName(strip, 0), LEFT, HEIGHT - 6);
  pen.textAlign = "right";
  pen.fillText(stepName(strip, each.length - 1), width, HEIGHT - 6);
}

// The columns of a range of steps; null: the strip shows none of them.
function spanOf(strip: Strip, range: StepRange | null): Span | null {
  if (range === null) return null;
  let span: Span | null = null;
  strip.step.forEach((first, i) => {
    const last = first + (strip.count[i] ?? 1) - 1;
    if (last < range.first || first > range.last) return;
    span = { from: span?.from ?? i, to: i };
  });
  return span;
}

// The steps of columns, whatever process each is of.
function rangeOf(strip: Strip, a: number, b: number): StepRange {
  let first = Infinity;
  let last = 0;
  for (let i = Math.min(a, b); i <= Math.max(a, b); i++) {
    const step = strip.step[i] ?? 0;
    first = Math.min(first, step);
    last = Math.max(last, step + (strip.count[i] ?? 1) - 1);
  }
  return { first, last };
}

function noteOf(report: Report, device: DevicePicture): string {
  const { steps } = report;
  const left_out = report.left_out.filter((row) => row.steps > 0)
    .map((row) => `${row.steps} ${words(row.reason)}`).join(", ");
  const most = Math.max(...device.strip.count);
  return `${steps.used_count} of ${steps.count} used, found by ${steps.found_by}` +
    (left_out === "" ? "." : `; left out, grey: ${left_out}.`) +
    (most > 1 ? ` A column holds up to ${most} steps.` : "") +
    " Drag over steps, or press one, for a page about them alone.";
}

export function StepStrip(props: {
  report: Report; device: DevicePicture; ink: Ink; range: StepRange | null;
  choose: (range: StepRange | null) => void;
}) {
  const { report, device, ink, range, choose } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [chosen, setChosen] = useState(-1);
  const drag = useRef(-1);    // the column where it began
  const anchor = useRef(-1);  // the same of keys
  const [dragged, setDragged] = useState<Span | null>(null);
  const columns = useMemo(() => columnsOf(device.strip), [device]);
  const { strip } = columns;
  const span = dragged ?? spanOf(strip, range);
  const count = columns.each.length;
  useLayoutEffect(() => {
    const paint = () =>
      canvas.current !== null && draw(canvas.current, columns, ink, chosen, span);
    paint();
    addEventListener("resize", paint);
    return () => removeEventListener("resize", paint);
  }, [columns, ink, chosen, span?.from, span?.to]);
  if (count === 0) return null;
  const show = (i: number, x: number, y: number) => {
    setChosen(i);
    showTip(x, y, linesOf(columns, i));
  };
  const columnAt = (event: MouseEvent): number => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined || event.clientX < box.left + LEFT) return -1;
    const i = Math.floor(((event.clientX - box.left - LEFT) / (box.width - LEFT)) * count);
    return Math.min(count - 1, i);
  };
  const over = (event: MouseEvent) => {
    const i = columnAt(event);
    if (i < 0) return;
    show(i, event.clientX, event.clientY);
    if (drag.current >= 0) setDragged({ from: Math.min(drag.current, i),
      to: Math.max(drag.current, i) });
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    drag.current = columnAt(event);
    canvas.current?.setPointerCapture(event.pointerId);
  };
  const up = (event: PointerEvent) => {
    const from = drag.current;
    const to = Math.max(0, columnAt(event));
    stop();
    if (from >= 0) choose(rangeOf(strip, from, to));
  };
  const stop = () => { drag.current = -1; setDragged(null); };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape") { anchor.current = -1; choose(null); }
    if (event.key === "Enter" && chosen >= 0) choose(rangeOf(strip, chosen, chosen));
    const by = ["]", "}", "ArrowRight"].includes(event.key) ? 1
      : ["[", "{", "ArrowLeft"].includes(event.key) ? -1 : 0;
    const box = canvas.current?.getBoundingClientRect();
    if (by === 0 || box === undefined) return;
    event.preventDefault();
    const i = Math.min(count - 1, Math.max(0, chosen + by));
    if (!event.shiftKey) anchor.current = i;
    else choose(rangeOf(strip, Math.max(0, anchor.current), i));
    show(i, box.left + LEFT + ((i + 0.5) / count) * (box.width - LEFT), box.top + 40);
  };
  const leave = () => { setChosen(-1); hideTip(); };
  return (
    <Section id="steps" title="Steps" of_all note={noteOf(report, device)}>
      <canvas ref={canvas} class="strip" tabIndex={0} role="img"
        aria-label={`times of ${device.steps} steps; arrow keys go through them, `
          + "with shift they choose several, enter chooses one, escape all"}
        onPointerDown={down} onPointerUp={up} onPointerCancel={stop}
        onMouseMove={over} onMouseLeave={leave} onKeyDown={key} onBlur={leave} />
    </Section>
  );
}
