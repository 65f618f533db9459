// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { KernelRow, Report } from "./data";
import { className, decimal, ms, percent, whole } from "./format";
import { ClassChip, Section } from "./section";
import { whatIsSummed } from "./verdict";

type Column = "name" | "class" | "count" | "gpu_ns" | "mean_ns" | "share";
const COLUMNS: { key: Column; label: string; unit?: string }[] = [
  { key: "gpu_ns", label: "GPU", unit: "ms" },
  { key: "share", label: "share", unit: "%" },
  { key: "count", label: "count" },
  { key: "mean_ns", label: "mean", unit: "µs" },
  { key: "class", label: "class" },
  { key: "name", label: "kernel" },
];
const FIRST_ROWS = 30;

function compare(a: KernelRow, b: KernelRow, column: Column): number {
  const x = a[column] ?? -1;
  const y = b[column] ?? -1;
  if (typeof x === "string" && typeof y === "string") return x.localeCompare(y);
  return Number(y) - Number(x);
}

// Quoted, and no cell that a spreadsheet would run as a formula.
function csvText(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${plain.replace(/"/g, '""')}"`;
}

export function csvOf(rows: KernelRow[]): string {
  const lines = rows.map((row) => [csvText(row.name), row.class, row.count,
    row.gpu_ns, row.mean_ns ?? "", row.share ?? ""].join(","));
  return ["kernel,class,count,gpu_ns,mean_ns,share", ...lines, ""].join("\n");
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function Head(props: { sort: Column; down: boolean; choose: (c: Column) => void }) {
  return (
    <tr>
      {COLUMNS.map(({ key, label, unit }) => (
        <th scope="col" key={key} class={key === "name" || key === "class" ? "word" : ""}
          aria-sort={props.sort !== key ? "none"
            : props.down ? "descending" : "ascending"}>
          <button onClick={() => props.choose(key)}>
            {label}{unit !== undefined && <small>{unit}</small>}
            <span aria-hidden="true">
              {props.sort === key ? (props.down ? " ↓" : " ↑") : ""}</span>
          </button>
        </th>
      ))}
    </tr>
  );
}

function Row({ row }: { row: KernelRow }) {
  return (
    <tr>
      <td class="gpu">{ms(row.gpu_ns)}</td>
      <td>{percent(row.share)}</td>
      <td>{whole(row.count)}</td>
      <td>{decimal(row.mean_ns === null ? null : row.mean_ns / 1e3, 2)}</td>
      <td class="word"><ClassChip name={row.class} /></td>
      <td class="name"><code>{row.name}</code></td>
    </tr>
  );
}

export function Kernels({ report }: { report: Report }) {
  const [search, setSearch] = useState("");
  const [sort, setSort] = useState<Column>("gpu_ns");
  const [down, setDown] = useState(true);
  const [all, setAll] = useState(false);
  const [said, setSaid] = useState("");
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const find = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener("keydown", find);
    return () => removeEventListener("keydown", find);
  }, []);
  const rows = useMemo(() => {
    const wanted = search.toLowerCase();
    const found = report.kernels.filter((row) =>
      row.name.toLowerCase().includes(wanted) ||
      className(row.class).toLowerCase().includes(wanted));
    found.sort((a, b) => (down ? 1 : -1) * compare(a, b, sort));
    return found;
  }, [report, search, sort, down]);
  if (report.kernels.length === 0) return null;
  const choose = (column: Column) => {
    setDown(column === sort ? !down : true);
    setSort(column);
  };
  const shown = all ? rows : rows.slice(0, FIRST_ROWS);
  return (
    <Section id="kernels" of_all title="Kernels" note={
      `${whole(report.kernels.length)} kernels and copies, added up over ${whatIsSummed(report)}.`}>
      <div class="tools">
        <input ref={box} type="search" placeholder="search  /" value={search}
          aria-label="search kernels by name or class"
          onInput={(event) => setSearch(event.currentTarget.value)} />
        <button onClick={async () => setSaid(await copy(csvOf(rows))
          ? `${whole(rows.length)} rows copied` : "this browser refused to copy")}>
          copy as CSV</button>
        <span role="status">{said}</span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="table of kernels">
        <table class="kernels">
          <thead><Head sort={sort} down={down} choose={choose} /></thead>
          <tbody>{shown.map((row) => <Row key={row.class + row.name} row={row} />)}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length &&
        <button class="more" onClick={() => setAll(true)}>
          show all {whole(rows.length)}</button>}
    </Section>
  );
}
