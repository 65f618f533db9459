// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { Apis } from "./apis";
import { ClassTable } from "./class_table";
import type { Data, LongGap, Report } from "./data";
import { deviceLabel } from "./data";
import { Flame } from "./flame";
import { Idle } from "./idle";
import { Kernels } from "./kernels";
import { narrowed, rangeText, type StepRange } from "./narrow";
import { Places } from "./places";
import { RankMap } from "./rank_map";
import { Ranks } from "./ranks";
import { Roofline } from "./roofline";
import { IsNarrowed } from "./section";
import { StepBar } from "./step_bar";
import { StepStrip } from "./step_strip";
import { ThemeSwitch, useTheme } from "./theme";
import { Timelines } from "./timeline";
import { Trust } from "./trust";
import { Verdict, whatIsSummed } from "./verdict";

function titleOf(report: Report): string {
  return report.program.command ?? report.source.program ??
    report.source.files.map((file) => file.replace(/.*\//, "")).join(", ");
}

function factsOf(report: Report): string[] {
  const { program, source } = report;
  const gpus = program.gpus.map(({ name, count }) =>
    (count > 1 ? `${count} x ` : "") + (name === "" ? "unknown GPU" : name));
  return [
    ...gpus,
    `${program.processes} process${program.processes === 1 ? "" : "es"}`,
    source.format === "dltap" ? "" : `imported from ${source.format}`,
    source.simulated ? "simulated GPU" : "",
  ].filter((fact) => fact !== "");
}

const KEYS = [
  ["/", "search the kernels"], ["j k", "next, previous advice"],
  ["[ ]", "previous, next step, in the strip; with shift: choose several"],
  ["Enter", "only this step, in the strip and in the map of ranks"],
  ["w s a d", "closer, farther, left, right, in the timeline"],
  ["Escape", "the whole timeline; all steps"], ["?", "this list"],
];

// Moves the focus among the lines of advice.
function goAdvice(by: number): void {
  const lines = [...document.querySelectorAll<HTMLElement>(".advice li")];
  const at = lines.findIndex((line) => line === document.activeElement);
  lines[Math.min(lines.length - 1, Math.max(0, at + by))]?.focus();
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement) return;
      if (event.key === "?") dialog.current?.showModal();
      if (event.key === "j") goAdvice(1);
      if (event.key === "k") goAdvice(-1);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  return (
    <>
      <button class="quiet" onClick={() => dialog.current?.showModal()}>
        ? keys</button>
      <dialog ref={dialog} aria-label="keys">
        <dl>{KEYS.map(([keys, what]) => (
          <div key={keys}><dt>{keys}</dt><dd>{what}</dd></div>))}</dl>
        <form method="dialog"><button>close</button></form>
      </dialog>
    </>
  );
}

// What the numbers are about, where that is not all used steps.
function NarrowBar(props: {
  range: StepRange; narrow: Report | null; report: Report; clear: () => void;
}) {
  const { range, narrow, report } = props;
  const files = report.source.files.length === 1 ? " TRACE" : " TRACES";
  return (
    <div class="narrowbar" role="status">
      <span><b>{rangeText(range)}</b>{narrow === null
        ? ": none of them is used"
        : `: step, classes and idle time are of ${
          narrow.narrowed_to?.steps === 1 ? "this step"
            : `these ${narrow.narrowed_to?.steps ?? 0} used steps`}; all of it: `}
      {narrow !== null && <code>dltap view --steps {range.first}..{range.last}{files}
      </code>}</span>
      <button onClick={props.clear}>all steps</button>
    </div>
  );
}

interface Goal {
  place: number;
  gap: LongGap;
}

export function App({ report, pictures }: Data) {
  const { theme, ink, next } = useTheme();
  const [place, setPlace] = useState(0);
  const [range, setRange] = useState<StepRange | null>(null);
  const [goal, setGoal] = useState<Goal | null>(null);
  const device = pictures.devices[place];
  useLayoutEffect(() => { document.title = `${titleOf(report)} · dltap report`; }, []);
  const narrow = useMemo(() => range === null ? null
    : narrowed({ report, pictures }, range), [report, pictures, range]);
  const shown = narrow ?? report;
  const go = (to: number, gap: LongGap) => {
    setPlace(to);
    setGoal({ place: to, gap });
  };
  return (
    <IsNarrowed.Provider value={narrow !== null}>
      <header>
        <div class="title">
          <h1>{titleOf(report)}</h1>
          <p>{factsOf(report).join(" · ")}</p>
        </div>
        <div class="switches"><Help /><ThemeSwitch theme={theme} next={next} /></div>
      </header>
      <main>
        {range !== null && <NarrowBar range={range} narrow={narrow} report={report}
          clear={() => setRange(null)} />}
        <Verdict report={shown} pictures={pictures} />
        <Trust report={report} />
        <StepBar report={shown} />
        <ClassTable report={shown} />
        {pictures.devices.length > 1 && (
          <label class="device">steps and timeline of{" "}
            <select value={place}
              onChange={(event) => setPlace(Number(event.currentTarget.value))}>
              {pictures.devices.map((each, i) =>
                <option key={i} value={i}>{deviceLabel(each)}</option>)}
            </select>
          </label>
        )}
        {device !== undefined && <StepStrip key={place} report={report}
          device={device} ink={ink} range={range} choose={setRange} />}
        <RankMap report={report} pictures={pictures} ink={ink} range={range}
          choose={setRange} />
        {device !== undefined && <Timelines key={`timelines ${place}`}
          device={device} pictures={pictures} ink={ink}
          goal={goal?.place === place ? goal.gap : null} />}
        {!pictures.drawn && <p class="note">The trace was too long to be held in
          memory at once: no single steps, no timelines, no layers.</p>}
        <Flame report={report} pictures={pictures} />
        <Idle report={shown} pictures={pictures} range={range} go={go} />
        <Places report={report} />
        <Roofline report={report} pictures={pictures} />
        <Ranks report={report} />
        <Kernels report={report} />
        <Apis report={report} />
      </main>
      <footer>Times are GPU time in {whatIsSummed(report)} unless a heading says otherwise;
        "?" is unknown. This file asks no server for anything.</footer>
    </IsNarrowed.Provider>
  );
}
