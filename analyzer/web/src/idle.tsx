// SPDX-License-Identifier: Apache-2.0
// Class x cause of idle time, and the longest gaps of a cell.
import { useState } from "preact/hooks";

import type { Causes, DevicePicture, LongGap, Pictures, Report } from "./data";
import { deviceLabel } from "./data";
import { className, duration, ms, words } from "./format";
import type { StepRange } from "./narrow";
import { CauseChip, ClassChip, Section } from "./section";
import { whatIsSummed } from "./verdict";

const FIRST_GAPS = 8;  // of all; a cell shows more of its own
const MOST_GAPS = 20;

interface IdleRow {
  class: string | null;  // null: between steps
  causes: Causes;
}

interface Cell {
  class: string | null;
  cause: string;
}

function rowsOf(report: Report): IdleRow[] {
  const rows: IdleRow[] = [
    { class: null, causes: { ...report.between_steps.host_ns,
      ...report.between_steps.device_ns } },
    ...report.classes.map((row) => (
      { class: row.class, causes: { ...row.host_ns, ...row.device_ns } })),
  ];
  return rows.filter((row) => sum(row.causes) > 0)
    .sort((a, b) => sum(b.causes) - sum(a.causes));
}

const sum = (causes: Causes): number =>
  Object.values(causes).reduce<number>((all, ns) => all + (ns ?? 0), 0);

const rowName = (name: string | null): string =>
  name === null ? "between steps" : className(name);

function gapsOf(devices: DevicePicture[], cell: Cell | null, range: StepRange | null) {
  return devices.flatMap((device, place) => device.gaps
    .filter((gap) => range === null ||
      (gap.step >= range.first && gap.step <= range.last))
    .filter((gap) => cell === null || (gap.cause === cell.cause &&
      (range !== null || gap.class === cell.class)))
    .map((gap) => ({ device, place, gap })))
    .sort((a, b) => length(b.gap) - length(a.gap))
    .slice(0, cell === null ? FIRST_GAPS : MOST_GAPS);
}

const length = (gap: LongGap): number => gap.span[1] - gap.span[0];

type Go = (place: number, gap: LongGap) => void;

function Gaps(props: {
  pictures: Pictures; cell: Cell | null; range: StepRange | null; go: Go;
}) {
  const { pictures, cell, range, go } = props;
  const gaps = gapsOf(pictures.devices, cell, range);
  if (gaps.length === 0) return null;
  return (
    <>
      <h3>The longest gaps{cell !== null &&
        (range === null ? `: ${rowName(cell.class)}, ${words(cell.cause)}`
          : `: ${words(cell.cause)}`)}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="longest gaps">
        <table>
          <thead><tr>
            <th scope="col">length</th><th scope="col">step</th>
            <th scope="col" class="word">most of it</th>
            <th scope="col" class="word">charged to</th>
            <th scope="col" class="word">queue emptied by</th>
            <th scope="col" class="word">ended by</th>
            {pictures.devices.length > 1 && <th scope="col" class="word">GPU</th>}
          </tr></thead>
          <tbody>
            {gaps.map(({ device, place, gap }, i) => (
              <tr key={i}>
                <td class="gpu">{gap.timeline === null ? duration(length(gap))
                  : <button class="link" title="show it in the timeline"
                    onClick={() => go(place, gap)}>{duration(length(gap))}</button>}
                </td>
                <td>{device.steps > 0 ? gap.step : "-"}</td>
                <td class="word">{words(gap.cause)} {duration(gap.cause_ns)}</td>
                <td class="word">{rowName(gap.class)}</td>
                <td class="word">{pictures.texts[gap.before]}</td>
                <td class="name"><code>{pictures.texts[gap.after] ||
                  pictures.texts[gap.call]}</code></td>
                {pictures.devices.length > 1 &&
                  <td class="word">{deviceLabel(device)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function Idle(props: {
  report: Report; pictures: Pictures; range: StepRange | null; go: Go;
}) {
  const { report, pictures, range, go } = props;
  const narrow = report.narrowed_to !== undefined;
  const [cell, setCell] = useState<Cell | null>(null);
  const rows = rowsOf(report);
  if (rows.length === 0) return null;
  const causes = pictures.causes.filter((cause) =>
    rows.some((row) => (row.causes[cause] ?? 0) > 0));
  const largest = Math.max(...rows.flatMap((row) =>
    causes.map((cause) => row.causes[cause] ?? 0)));
  const toggle = (next: Cell) => setCell(cell !== null &&
    cell.class === next.class && cell.cause === next.cause ? null : next);
  return (
    <Section id="idle" title="Why the GPU is idle" note={
      `${ms(report.program.idle.ns)} ms in ${narrow ? "the chosen steps, by cause"
        : `${whatIsSummed(report)}, by the class that waits and the cause`}. ` +
      "Press a cell for its gaps, a gap's length for its place in the timeline."}>
      <div class="scroll" tabIndex={0} role="region" aria-label="idle time">
        <table class="heat">
          <thead><tr><th scope="col">class<small>ms</small></th>
            {causes.map((cause) => <th scope="col" key={cause}>
              <CauseChip name={cause} /></th>)}
          </tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowName(row.class)}>
                <th scope="row">{narrow ? "all classes"
                  : row.class === null ? "between steps" : <ClassChip name={row.class} />}</th>
                {causes.map((cause) => {
                  const ns = row.causes[cause] ?? 0;
                  if (ns === 0) return <td key={cause} />;
                  const pressed = cell?.class === row.class && cell.cause === cause;
                  return (
                    <td key={cause}>
                      <button aria-pressed={pressed} style={{ "--heat":
                        `${6 + 30 * Math.sqrt(ns / largest)}%` }}
                        onClick={() => toggle({ class: row.class, cause })}>
                        {ms(ns)}</button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Gaps pictures={pictures} cell={cell} go={go}
        range={narrow ? range : null} />
    </Section>
  );
}
