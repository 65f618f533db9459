// SPDX-License-Identifier: Apache-2.0
// Ranks by steps: a row for each, a cell for a step. The darker the more of it.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { DevicePicture, Pictures, Report, Strip } from "./data";
import { processLabel } from "./data";
import { ms, words } from "./format";
import type { StepRange } from "./narrow";
import { rangeText } from "./narrow";
import { Section } from "./section";
import type { Ink } from "./theme";
import { hideTip, showTip } from "./tooltip";

const LEFT = 110;
const FOOT = 20;

const QUANTITIES = {
  step: "length of the step", compute: "computes", comm: "communicates, exposed",
  copy: "copies, exposed", idle: "idle",
} as const;
type Quantity = keyof typeof QUANTITIES;

interface Cell {
  step: number;  // the first
  count: number;
  used: boolean;
  ns: number | null;  // of one step
}

interface Row {
  name: string;
  cells: Cell[];
}

interface Grid {
  rows: Row[];
  steps: number;
  least: number;  // of used cells, as `most`
  most: number;
}

function sumAt(columns: [string, number[]][], i: number): number {
  return columns.reduce((sum, [, ns]) => sum + (ns[i] ?? 0), 0);
}

// What the quantity is made of: columns of the strip.
function columnsOf(strip: Strip, quantity: Quantity, pictures: Pictures):
  [string, number[]][] {
  if (quantity === "step") return [["ns", strip.ns]];
  if (quantity === "idle") return Object.entries(strip.idle);
  return Object.entries(strip.lead).filter(([key]) =>
    pictures.states[key.slice(0, key.indexOf("/"))] === quantity);
}

function rowsOf(device: DevicePicture, quantity: Quantity, pictures: Pictures): Row[] {
  const { strip } = device;
  const columns = columnsOf(strip, quantity, pictures);
  const phases = Object.entries(strip.phases);
  return device.processes.map((_, process) => {
    const cells: Cell[] = [];
    strip.step.forEach((step, i) => {
      if (strip.process[i] !== process) return;
      const count = strip.count[i] ?? 1;
      const known = quantity === "step" || sumAt(phases, i) > 0;
      cells.push({ step, count, used: strip.use[i] === "used",
        ns: known ? sumAt(columns, i) / count : null });
    });
    const gpu = device.processes.length > 1 ? "" : ` · GPU ${device.id}`;
    return { name: processLabel(device, process) + gpu, cells };
  });
}

function gridOf(pictures: Pictures, quantity: Quantity): Grid {
  const rows = pictures.devices.flatMap((device) =>
    rowsOf(device, quantity, pictures)).filter((row) => row.cells.length > 0);
  let steps = 0;
  let least = Infinity;
  let most = 0;
  for (const { cells } of rows) {
    for (const { step, count, used, ns } of cells) {
      steps = Math.max(steps, step + count);
      if (!used || ns === null) continue;
      least = Math.min(least, ns);
      most = Math.max(most, ns);
    }
  }
  return { rows, steps, least, most };
}

const rowHeight = (grid: Grid): number =>
  Math.max(4, Math.min(22, Math.floor(420 / grid.rows.length)));

function draw(canvas: HTMLCanvasElement, grid: Grid, ink: Ink, at: Spot | null): void {
  const width = canvas.clientWidth;
  const row_height = rowHeight(grid);
  const height = grid.rows.length * row_height;
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = (height + FOOT) * scale;
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  pen.scale(scale, scale);
  pen.font = "11px system-ui, sans-serif";
  const x = (step: number) => LEFT + (step / grid.steps) * (width - LEFT);
  grid.rows.forEach(({ name, cells }, i) => {
    const top = i * row_height;
    pen.fillStyle = ink.dim;
    if (row_height >= 11 || i % Math.ceil(11 / row_height) === 0) {
      pen.fillText(name, 0, top + row_height / 2 + 4, LEFT - 8);
    }
    for (const { step, count, used, ns } of cells) {
      const left = x(step);
      const wide = x(step + count) - left;
      pen.globalAlpha = 1;
      pen.fillStyle = used ? ink.accent : ink.idle;
      if (used) {
        pen.globalAlpha = ns === null ? 0
          : 0.08 + 0.92 * (ns - grid.least) / Math.max(1, grid.most - grid.least);
      }
      pen.fillRect(left, top, Math.max(0.7, wide - (wide > 4 ? 1 : 0)),
        row_height - (row_height > 6 ? 1 : 0));
    }
    pen.globalAlpha = 1;
  });
  pen.fillStyle = ink.dim;
  pen.fillText("step 0", LEFT, height + 15);
  pen.textAlign = "right";
  pen.fillText(`step ${grid.steps - 1}`, width, height + 15);
  if (at === null) return;
  const cell = grid.rows[at.row]?.cells[at.cell];
  if (cell === undefined) return;
  pen.strokeStyle = ink.text;
  pen.lineWidth = 2;
  pen.strokeRect(x(cell.step), at.row * row_height, Math.max(2,
    x(cell.step + cell.count) - x(cell.step)), row_height);
}

interface Spot {
  row: number;
  cell: number;
}

const stepsOf = ({ step, count }: Cell): StepRange =>
  ({ first: step, last: step + count - 1 });

// In words: which rank has most of it, and which least.
function summary(grid: Grid): string {
  const means = grid.rows.map(({ name, cells }) => {
    const used = cells.filter((cell) => cell.used && cell.ns !== null);
    const steps = used.reduce((sum, cell) => sum + cell.count, 0);
    const ns = used.reduce((sum, cell) => sum + (cell.ns ?? 0) * cell.count, 0);
    return { name, ns: steps > 0 ? ns / steps : 0 };
  }).sort((a, b) => b.ns - a.ns);
  const first = means[0];
  const last = means[means.length - 1];
  if (first === undefined || last === undefined) return "";
  return `Most: ${first.name}, ${ms(first.ns)} ms a step; least: ${last.name}, ` +
    `${ms(last.ns)} ms. The darkest cell has ${ms(grid.most)} ms.`;
}

export function RankMap(props: {
  report: Report; pictures: Pictures; ink: Ink; range: StepRange | null;
  choose: (range: StepRange | null) => void;
}) {
  const { pictures, ink, range, choose } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [quantity, setQuantity] = useState<Quantity>("step");
  const [at, setAt] = useState<Spot | null>(null);
  const grid = useMemo(() => gridOf(pictures, quantity), [pictures, quantity]);
  useLayoutEffect(() => {
    const paint = () =>
      canvas.current !== null && draw(canvas.current, grid, ink, at);
    paint();
    addEventListener("resize", paint);
    return () => removeEventListener("resize", paint);
  }, [grid, ink, at]);
  if (grid.rows.length < 2 || grid.steps === 0) return null;
  const row_height = rowHeight(grid);
  const show = (spot: Spot, x: number, y: number) => {
    const row = grid.rows[spot.row];
    const cell = row?.cells[spot.cell];
    if (row === undefined || cell === undefined) return;
    setAt(spot);
    showTip(x, y, [`${row.name}, ${rangeText(stepsOf(cell))}`,
      `${QUANTITIES[quantity]}: ${cell.ns === null ? "?" : ms(cell.ns)} ms`,
      cell.used ? "" : "left out"]);
  };
  const spotAt = (event: MouseEvent): Spot | null => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return null;
    const step = ((event.clientX - box.left - LEFT) / (box.width - LEFT)) * grid.steps;
    const row = Math.floor((event.clientY - box.top) / row_height);
    const cell = grid.rows[row]?.cells.findIndex((each) =>
      step >= each.step && step < each.step + each.count) ?? -1;
    return cell < 0 ? null : { row, cell };
  };
  const choose_at = (spot: Spot | null) => {
    const cell = spot === null ? undefined : grid.rows[spot.row]?.cells[spot.cell];
    if (cell !== undefined) choose(stepsOf(cell));
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape") choose(null);
    if (event.key === "Enter") choose_at(at);
    const by = ({ ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0],
      ArrowUp: [-1, 0] } as Record<string, [number, number]>)[event.key];
    const box = canvas.current?.getBoundingClientRect();
    if (by === undefined || box === undefined) return;
    event.preventDefault();
    const row = Math.min(grid.rows.length - 1, Math.max(0, (at?.row ?? 0) + by[0]));
    const cells = grid.rows[row]?.cells.length ?? 0;
    const cell = Math.min(cells - 1, Math.max(0, (at?.cell ?? 0) + by[1]));
    const step = grid.rows[row]?.cells[cell]?.step ?? 0;
    show({ row, cell }, box.left + LEFT + (step / grid.steps) * (box.width - LEFT),
      box.top + row * row_height);
  };
  const leave = () => { setAt(null); hideTip(); };
  return (
    <Section id="rankmap" title="Ranks by steps" of_all note={summary(grid) +
      (range === null ? " Press a cell for a page about its step." : "")}>
      <div class="tabs" role="group" aria-label="what the map shows">
        {(Object.keys(QUANTITIES) as Quantity[]).map((each) => (
          <button key={each} aria-pressed={each === quantity}
            onClick={() => setQuantity(each)}>{words(QUANTITIES[each])}</button>))}
      </div>
      <canvas ref={canvas} class="rankmap" tabIndex={0} role="img"
        style={{ height: `${grid.rows.length * row_height + FOOT}px` }}
        aria-label={`${QUANTITIES[quantity]}, ${grid.rows.length} ranks by ${grid.steps} `
          + "steps; arrow keys go through the cells, enter chooses a step"}
        onMouseMove={(event) => {
          const spot = spotAt(event);
          if (spot === null) leave();
          else show(spot, event.clientX, event.clientY);
        }}
        onClick={(event) => choose_at(spotAt(event))}
        onMouseLeave={leave} onKeyDown={key} onBlur={leave} />
    </Section>
  );
}
