// SPDX-License-Identifier: Apache-2.0
// Ranks by steps: a row for each, a column for a step. The stronger the colour,
// the more.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { decimal } from "./format";
import type { HeatMap } from "./many_data";
import { Section } from "./section";
import type { Ink } from "./theme";
import { hideTip, showTip } from "./tooltip";

const LEFT = 110;
const FOOT = 20;
const HEIGHT = 480;
// Less than this of the most is not drawn out: noise would look like news.
const LEAST_SPAN = 0.2;

const QUANTITIES = {
  wait_ms: "waits for others", transfer_ms: "transfers", compute_ms: "computes",
  idle_ms: "idle", step_ms: "the whole step",
} as const;
type Quantity = keyof typeof QUANTITIES;

interface Cell {
  row: number;
  column: number;
  rank: number;
  step: number;  // the first
  steps: number;
  values: Record<Quantity, number | null>;
}

interface Grid {
  cells: Map<number, Cell>;  // by row * columns + column
  first_ranks: number[];
  first_column: number;
  columns: number;
}

function gridOf(map: HeatMap): Grid {
  const at = new Map(map.columns.map((name, i) => [name, i]));
  const number = (row: HeatMap["rows"][number], name: string): number | null => {
    const value = row[at.get(name) ?? -1];
    return typeof value === "number" ? value : null;
  };
  const ranks = [...new Set(map.rows.map((row) => number(row, "first_rank") ?? 0))]
    .sort((a, b) => a - b);
  const row_of = new Map(ranks.map((rank, i) => [rank, i]));
  const columns = map.rows.map((row) =>
    Math.floor((number(row, "step") ?? 0) / map.steps_per_column));
  const first = columns.reduce((least, each) => Math.min(least, each), Infinity);
  const last = columns.reduce((most, each) => Math.max(most, each), -Infinity);
  const grid: Grid = { cells: new Map(), first_ranks: ranks,
    first_column: first, columns: map.rows.length === 0 ? 0 : last - first + 1 };
  map.rows.forEach((row, i) => {
    const cell: Cell = { row: row_of.get(number(row, "first_rank") ?? 0) ?? 0,
      column: (columns[i] ?? 0) - first, rank: number(row, "rank") ?? 0,
      step: number(row, "step") ?? 0, steps: number(row, "steps") ?? 1,
      values: {} as Cell["values"] };
    for (const name of Object.keys(QUANTITIES) as Quantity[]) {
      cell.values[name] = number(row, name);
    }
    grid.cells.set(cell.row * grid.columns + cell.column, cell);
  });
  return grid;
}

interface Scale {
  least: number;
  most: number;
}

function scaleOf(grid: Grid, quantity: Quantity): Scale {
  let least = Infinity;
  let most = 0;
  for (const { values } of grid.cells.values()) {
    const value = values[quantity];
    if (value === null) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return { least: least === Infinity ? 0 : least, most };
}

const rowHeight = (grid: Grid): number =>
  Math.max(2, Math.min(22, Math.floor(HEIGHT / Math.max(1, grid.first_ranks.length))));

function draw(canvas: HTMLCanvasElement, grid: Grid, quantity: Quantity,
  ink: Ink, chosen: Cell | undefined, steps: [number, number]): void {
  const width = canvas.clientWidth;
  const row_height = rowHeight(grid);
  const height = grid.first_ranks.length * row_height;
  const pixels = devicePixelRatio || 1;
  canvas.width = width * pixels;
  canvas.height = (height + FOOT) * pixels;
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  pen.scale(pixels, pixels);
  pen.font = "11px system-ui, sans-serif";
  const { least, most } = scaleOf(grid, quantity);
  const bottom = Math.min(least, most * (1 - LEAST_SPAN));
  const x = (column: number) => LEFT + (column / grid.columns) * (width - LEFT);
  for (const { row, column, values } of grid.cells.values()) {
    const value = values[quantity];
    const wide = x(column + 1) - x(column);
    pen.globalAlpha = value === null ? 1
      : 0.06 + 0.94 * (most > bottom ? (value - bottom) / (most - bottom) : 0);
    pen.fillStyle = value === null ? ink.idle : ink.accent;
    pen.fillRect(x(column), row * row_height, Math.max(0.7, wide - (wide > 4 ? 1 : 0)),
      row_height - (row_height > 6 ? 1 : 0));
  }
  pen.globalAlpha = 1;
  pen.fillStyle = ink.dim;
  const every = Math.ceil(12 / row_height);
  grid.first_ranks.forEach((rank, i) => {
    if (i % every === 0) pen.fillText(`rank ${rank}`, 0, i * row_height + 10, LEFT - 8);
  });
  pen.fillText(`step ${steps[0]}`, LEFT, height + 15);
  pen.textAlign = "right";
  pen.fillText(`step ${steps[1]}`, width, height + 15);
  if (chosen === undefined) return;
  pen.strokeStyle = ink.text;
  pen.lineWidth = 2;
  pen.strokeRect(x(chosen.column), chosen.row * row_height,
    Math.max(3, x(chosen.column + 1) - x(chosen.column)), Math.max(3, row_height));
}

const linesOf = (cell: Cell): string[] => [
  `rank ${cell.rank}, step ${cell.step}` +
    (cell.steps > 1 ? ` and ${cell.steps - 1} after it` : ""),
  ...(Object.keys(QUANTITIES) as Quantity[]).map((name) =>
    `${QUANTITIES[name]}: ${decimal(cell.values[name], 2)} ms`),
];

function note(map: HeatMap): string {
  const parts = ["The stronger the colour, the more of a step; grey: not known."];
  if (map.ranks_per_row > 1) {
    parts.push(`There are too many ranks for a row each: a row is that of ${
      map.ranks_per_row} neighbours that works longest itself.`);
  }
  if (map.steps_per_column > 1) {
    parts.push(`There are too many steps for a column each: a column is the mean of ${
      map.steps_per_column} steps.`);
  }
  return parts.join(" ");
}

export function Heat(props: { map: HeatMap; ink: Ink; start: Quantity }) {
  const { map, ink } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [quantity, setQuantity] = useState<Quantity>(props.start);
  const [at, setAt] = useState<number | null>(null);
  const grid = useMemo(() => gridOf(map), [map]);
  const chosen = at === null ? undefined : grid.cells.get(at);
  const first_step = grid.first_column * map.steps_per_column;
  const last_step = first_step + grid.columns * map.steps_per_column - 1;
  useLayoutEffect(() => {
    const paint = () => canvas.current !== null &&
      draw(canvas.current, grid, quantity, ink, chosen, [first_step, last_step]);
    paint();
    addEventListener("resize", paint);
    return () => removeEventListener("resize", paint);
  }, [grid, quantity, ink, chosen]);
  if (grid.columns === 0) return null;
  const row_height = rowHeight(grid);
  const { least, most } = scaleOf(grid, quantity);
  const leave = () => {
    setAt(null);
    hideTip();
  };
  const show = (row: number, column: number, x: number, y: number) => {
    const cell = grid.cells.get(row * grid.columns + column);
    if (cell === undefined) return leave();
    setAt(row * grid.columns + column);
    showTip(x, y, linesOf(cell));
  };
  const move = (event: MouseEvent) => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return;
    const column = Math.floor((event.clientX - box.left - LEFT) /
      (box.width - LEFT) * grid.columns);
    if (column < 0 || column >= grid.columns) return leave();
    show(Math.floor((event.clientY - box.top) / row_height), column,
      event.clientX, event.clientY);
  };
  const key = (event: KeyboardEvent) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0],
      ArrowDown: [1, 0] }[event.key];
    const box = canvas.current?.getBoundingClientRect();
    if (event.key === "Escape") leave();
    if (by === undefined || box === undefined) return;
    event.preventDefault();
    const limit = (value: number, count: number) =>
      Math.min(count - 1, Math.max(0, value));
    const row = chosen === undefined ? 0
      : limit(chosen.row + (by[0] ?? 0), grid.first_ranks.length);
    const column = chosen === undefined ? 0
      : limit(chosen.column + (by[1] ?? 0), grid.columns);
    show(row, column, box.left + LEFT +
      (column + 0.5) / grid.columns * (box.width - LEFT),
      box.top + (row + 1) * row_height);
  };
  return (
    <Section id="heatmap" title="Ranks by steps" note={note(map)}>
      <div class="tabs" role="group" aria-label="what the map shows">
        {(Object.keys(QUANTITIES) as Quantity[]).map((each) => (
          <button key={each} aria-pressed={each === quantity}
            onClick={() => setQuantity(each)}>{QUANTITIES[each]}</button>))}
      </div>
      <canvas ref={canvas} class="rankmap" tabIndex={0} role="img"
        style={{ height: `${grid.first_ranks.length * row_height + FOOT}px` }}
        aria-label={`${QUANTITIES[quantity]}, ${grid.first_ranks.length} rows of ranks by ${
          grid.columns} columns of steps; arrow keys go through the cells`}
        onMouseMove={move} onMouseLeave={leave} onKeyDown={key} onBlur={leave} />
      <p class="note">{QUANTITIES[quantity]}: {decimal(least, 2)} to{" "}
        {decimal(most, 2)} ms a step, steps {first_step} to {last_step}.</p>
    </Section>
  );
}
