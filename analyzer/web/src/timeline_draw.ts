// SPDX-License-Identifier: Apache-2.0
// The timeline's canvas: lanes, spans, arrows. Where several spans fall on one
// pixel only the first is drawn.
import { classColor, hatchPattern } from "./colors";
import type { Lane, Pictures, Timeline } from "./data";
import { positions } from "./data";
import { duration, shortName } from "./format";
import type { Ink } from "./theme";

export const LABELS = 150;
const AXIS = 24;
const LANE = 26;
const SPAN = 19;

export interface Placed {
  lane: Lane;
  begin: Float64Array;
}

export interface Spot {
  lane: number;
  span: number;
}

export interface View {
  from: number;  // ns
  to: number;
}

export const place = (timeline: Timeline): Placed[] =>
  timeline.lanes.map((lane) => (
    { lane, begin: positions(timeline.extent[0], lane.begin) }));

export const heightOf = (lanes: Placed[]): number =>
  AXIS + lanes.length * LANE + 8;

const xOf = (ns: number, view: View, width: number): number =>
  LABELS + ((ns - view.from) / (view.to - view.from)) * (width - LABELS);

export const nsAt = (x: number, view: View, width: number): number =>
  view.from + ((x - LABELS) / (width - LABELS)) * (view.to - view.from);

const topOf = (lane: number): number => AXIS + lane * LANE + 4;

// The first span of the lane that ends behind `ns`.
function firstFrom(placed: Placed, ns: number): number {
  let low = 0;
  let high = placed.begin.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const end = (placed.begin[middle] ?? 0) + (placed.lane.ns[middle] ?? 0);
    if (end < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function spotAt(lanes: Placed[], view: View, width: number, x: number,
  y: number): Spot | null {
  const lane = Math.floor((y - AXIS) / LANE);
  const placed = lanes[lane];
  if (placed === undefined || x < LABELS) return null;
  const reach = ((view.to - view.from) / (width - LABELS)) * 2;
  const at = nsAt(x, view, width);
  for (let i = firstFrom(placed, at - reach); i < placed.begin.length; i++) {
    if ((placed.begin[i] ?? 0) > at + reach) break;
    return { lane, span: i };
  }
  return null;
}

// The other ends of what a call launched, or of what launched a kernel.
export function partners(lanes: Placed[], spot: Spot): Spot[] {
  const from = lanes[spot.lane];
  const call = from?.lane.call[spot.span] ?? 0;
  if (from === undefined || call === 0) return [];
  const wanted = from.lane.kind === "thread" ? "stream" : "thread";
  return lanes.flatMap(({ lane }, index) => lane.kind !== wanted ? []
    : lane.call.flatMap((other, span) =>
      other === call ? [{ lane: index, span }] : []));
}

export function nameOf(placed: Placed, span: number, pictures: Pictures): string {
  const text = pictures.texts[placed.lane.text[span] ?? 0] ?? "";
  const count = placed.lane.count[span] ?? 1;
  return count === 1 ? text : `${count} spans, the longest: ${text}`;
}

function ticks(view: View): number[] {
  const rough = (view.to - view.from) / 8;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? power;
  const out: number[] = [];
  for (let at = Math.ceil(view.from / step) * step; at < view.to; at += step) out.push(at);
  return out;
}

function fitted(pen: CanvasRenderingContext2D, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && pen.measureText(`${text.slice(0, end)}…`).width > width) end--;
  return `${text.slice(0, end)}…`;
}

const tickText = (ns: number): string =>
  ns === 0 ? "0" : duration(ns).replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " ");

export interface Scene {
  pictures: Pictures;
  timeline: Timeline;
  lanes: Placed[];
  view: View;
  chosen: Spot | null;
  ink: Ink;
}

class Painter {
  private readonly hatches = new Map<string, CanvasPattern | string>();

  constructor(private readonly pen: CanvasRenderingContext2D,
    private readonly width: number, private readonly scene: Scene) {}

  run(): void {
    const { lanes } = this.scene;
    this.axis(heightOf(lanes));
    lanes.forEach((placed, i) => this.lane(placed, i));
    this.labels();
    this.choice();
  }

  private x(ns: number): number { return xOf(ns, this.scene.view, this.width); }

  private axis(height: number): void {
    const { pen, width } = this;
    const { view, timeline, ink } = this.scene;
    const origin = timeline.window[0];
    pen.fillStyle = ink.idle;  // what lies outside of the step
    pen.fillRect(LABELS, AXIS, Math.max(0, this.x(origin) - LABELS), height);
    const end = this.x(timeline.window[1]);
    pen.fillRect(end, AXIS, Math.max(0, width - end), height);
    pen.textAlign = "center";
    for (const at of ticks({ from: view.from - origin, to: view.to - origin })) {
      const x = Math.round(this.x(at + origin));
      pen.fillStyle = ink.line;
      pen.fillRect(x, AXIS - 6, 1, height);
      pen.fillStyle = ink.dim;
      if (x > LABELS + 20) pen.fillText(tickText(at), x, 12);
    }
  }

  private fill(lane: Lane, span: number): string | CanvasPattern {
    const { pictures, ink } = this.scene;
    const color = lane.color[span] ?? 0;
    if (lane.kind === "stream") return classColor(pictures.classes[color] ?? "other");
    if (lane.kind === "thread") return ink.hatch;
    const cause = pictures.causes[color] ?? "unknown";
    let hatch = this.hatches.get(cause);
    if (hatch === undefined) {
      hatch = hatchPattern(this.pen, cause, ink.dim, ink.panel);
      this.hatches.set(cause, hatch);
    }
    return hatch;
  }

  private lane(placed: Placed, index: number): void {
    const { pen, width } = this;
    const { view, ink } = this.scene;
    const top = topOf(index);
    let drawn_to = LABELS;
    pen.textAlign = "left";
    for (let i = firstFrom(placed, view.from); i < placed.begin.length; i++) {
      const begin = placed.begin[i] ?? 0;
      if (begin > view.to) break;
      const left = Math.max(LABELS, this.x(begin));
      const right = Math.min(width, this.x(begin + (placed.lane.ns[i] ?? 0)));
      if (right < drawn_to + 0.4 && right - left < 0.5) continue;
      // Many gaps of less than a pixel would look as if it were always idle.
      if (placed.lane.kind === "idle" && right - left < 0.4) continue;
      pen.fillStyle = this.fill(placed.lane, i);
      const wide = Math.max(0.8, right - left - (right - left > 3 ? 0.6 : 0));
      pen.fillRect(left, top, wide, SPAN);
      drawn_to = right;
      if (right - left > 46) this.label(placed, i, left, right, top, ink);
    }
  }

  private label(placed: Placed, i: number, left: number, right: number,
    top: number, ink: Ink): void {
    const { pen } = this;
    pen.save();
    pen.beginPath();
    pen.rect(left, top, right - left - 3, SPAN);
    pen.clip();
    const text = shortName(nameOf(placed, i, this.scene.pictures));
    if (placed.lane.kind === "idle") {
      pen.fillStyle = ink.panel;
      pen.fillRect(left + 2, top + 3, pen.measureText(text).width + 6, SPAN - 6);
    }
    pen.fillStyle = placed.lane.kind === "stream" ? "#10151b" : ink.text;
    pen.fillText(text, left + 5, top + 13.5);
    pen.restore();
  }

  private labels(): void {
    const { pen } = this;
    const { lanes, ink } = this.scene;
    pen.fillStyle = ink.panel;
    pen.fillRect(0, 0, LABELS - 1, heightOf(lanes));
    pen.textAlign = "left";
    lanes.forEach(({ lane }, i) => {
      pen.fillStyle = lane.kind === "thread" ? ink.dim : ink.text;
      pen.fillText(fitted(pen, lane.name, LABELS - 12), 0, topOf(i) + 13.5);
    });
  }

  private choice(): void {
    const { chosen, lanes } = this.scene;
    if (chosen === null) return;
    const ends = partners(lanes, chosen);
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(LABELS, 0, this.width - LABELS, heightOf(lanes));
    this.pen.clip();
    for (const spot of [chosen, ...ends]) this.outline(spot);
    for (const end of ends) {
      const from_thread = lanes[chosen.lane]?.lane.kind === "thread";
      this.arrow(from_thread ? chosen : end, from_thread ? end : chosen);
    }
    this.pen.restore();
  }

  private outline({ lane, span }: Spot): void {
    const placed = lanes_at(this.scene.lanes, lane);
    const begin = placed.begin[span] ?? 0;
    const left = this.x(begin);
    const right = this.x(begin + (placed.lane.ns[span] ?? 0));
    this.pen.strokeStyle = this.scene.ink.accent;
    this.pen.lineWidth = 2;
    this.pen.strokeRect(left - 1, topOf(lane) - 1, Math.max(3, right - left + 2), SPAN + 2);
  }

  private arrow(from: Spot, to: Spot): void {
    const { pen } = this;
    const { lanes, ink } = this.scene;
    const x1 = this.x(lanes_at(lanes, from.lane).begin[from.span] ?? 0);
    const x2 = this.x(lanes_at(lanes, to.lane).begin[to.span] ?? 0);
    const down = to.lane > from.lane;
    const y1 = topOf(from.lane) + (down ? SPAN : 0);
    const y2 = topOf(to.lane) + (down ? 0 : SPAN);
    const tip = down ? -6 : 6;
    pen.strokeStyle = ink.accent;
    pen.fillStyle = ink.accent;
    pen.lineWidth = 1.4;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2 + tip);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x2, y2);
    pen.lineTo(x2 - 4, y2 + tip);
    pen.lineTo(x2 + 4, y2 + tip);
    pen.fill();
  }
}

function lanes_at(lanes: Placed[], index: number): Placed {
  const placed = lanes[index];
  if (placed === undefined) throw new Error(`no lane ${index}`);
  return placed;
}

export function drawTimeline(canvas: HTMLCanvasElement, scene: Scene): void {
  const width = canvas.clientWidth;
  const height = heightOf(scene.lanes);
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  pen.scale(scale, scale);
  pen.font = "11.5px system-ui, sans-serif";
  new Painter(pen, width, scene).run();
}
