// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";

import { Apis } from "./apis";
import { ClassTable } from "./class_table";
import type { Data, Report } from "./data";
import { deviceLabel } from "./data";
import { Flame } from "./flame";
import { Idle } from "./idle";
import { Kernels } from "./kernels";
import { Ranks } from "./ranks";
import { Roofline } from "./roofline";
import { StepBar } from "./step_bar";
import { StepStrip } from "./step_strip";
import { ThemeSwitch, useTheme } from "./theme";
import { Timelines } from "./timeline";
import { Trust } from "./trust";
import { Verdict } from "./verdict";

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
  ["[ ]", "previous, next step, in the strip"],
  ["w s a d", "closer, farther, left, right, in the timeline"],
  ["Escape", "the whole timeline"], ["?", "this list"],
];

// Moves the focus among the lines of advice.
function goAdvice(by: number): void {
  const lines = [...document.querySelectorAll<HTMLElement>(".advice li")];
  const at = lines.findIndex((line) => line === document.activeElement);
  lines[Math.min(lines.length - 1, Math.max(0, at + by))]?.focus();
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
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

export function App({ report, pictures }: Data) {
  const { theme, ink, next } = useTheme();
  const [place, setPlace] = useState(0);
  const device = pictures.devices[place];
  useEffect(() => { document.title = `${titleOf(report)} · dltap report`; }, []);
  return (
    <>
      <header>
        <div class="title">
          <h1>{titleOf(report)}</h1>
          <p>{factsOf(report).join(" · ")}</p>
        </div>
        <div class="switches"><Help /><ThemeSwitch theme={theme} next={next} /></div>
      </header>
      <main>
        <Verdict report={report} pictures={pictures} />
        <Trust report={report} />
        <StepBar report={report} />
        <ClassTable report={report} />
        {pictures.devices.length > 1 && (
          <label class="device">steps and timeline of{" "}
            <select onChange={(event) => setPlace(Number(event.currentTarget.value))}>
              {pictures.devices.map((each, i) =>
                <option key={i} value={i}>{deviceLabel(each)}</option>)}
            </select>
          </label>
        )}
        {device !== undefined &&
          <StepStrip report={report} device={device} ink={ink} />}
        {device !== undefined &&
          <Timelines device={device} pictures={pictures} ink={ink} />}
        {!pictures.drawn && <p class="note">The trace was too long to be held in
          memory at once: no single steps, no timelines.</p>}
        <Flame report={report} />
        <Idle report={report} pictures={pictures} />
        <Roofline report={report} pictures={pictures} />
        <Ranks report={report} />
        <Kernels report={report} />
        <Apis report={report} />
      </main>
      <footer>Times are GPU time in the used steps unless a heading says otherwise;
        "?" is unknown. This file asks no server for anything.</footer>
    </>
  );
}
