// SPDX-License-Identifier: Apache-2.0
// The page about a data set of many ranks.
import { useLayoutEffect } from "preact/hooks";

import { decimal, percent, whole } from "./format";
import type { RanksReport, Row } from "./many_data";
import { numberOf, rowsOf, wordOf } from "./many_data";
import { Heat } from "./many_heat";
import { Classes, Collectives, Groups, LongestSteps, Worst } from "./many_tables";
import { ThemeSwitch, useTheme } from "./theme";

const GIB = 2 ** 30;

function factsOf(report: RanksReport): string {
  const run = report.runs.find((row) => row.run === report.run);
  const counted = (key: string, noun: string) => {
    const n = numberOf(run, key) ?? 0;
    return `${whole(n)} ${noun}${n === 1 ? "" : "s"}`;
  };
  const others = report.runs.length < 2 ? "" :
    ` (of ${report.runs.length}; dltap report --run NAME has another)`;
  return [`run ${report.run}${others}`, counted("ranks", "rank"),
    numberOf(run, "hosts") === 0 ? "" : counted("hosts", "host"), wordOf(run, "model") || "unknown GPU",
    run?.simulated === true ? "simulated" : ""]
    .filter((fact) => fact !== "").join(" · ");
}

function Figure(props: { value: string; unit: string; label: string }) {
  return (
    <div class="figure">
      <div class="value">{props.value}<small>{props.unit}</small></div>
      <div class="label">{props.label}</div>
    </div>
  );
}

function Figures({ of }: { of: Row }) {
  const ms = (key: string) => decimal(numberOf(of, key), 2);
  const memory = numberOf(of, "most_memory_bytes");
  if (numberOf(of, "steps") === null) return null;
  return (
    <div class="figures">
      <Figure value={ms("mean_ms")} unit=" ms" label={`step, of ${
        whole(numberOf(of, "steps"))}; p50 ${ms("p50_ms")}, p99 ${ms("p99_ms")}, spread ${
        percent(numberOf(of, "spread"))} %`} />
      <Figure value={ms("longest_ms")} unit=" ms"
        label={`the longest, step ${wordOf(of, "longest_step")}`} />
      <Figure value={ms("compute_ms")} unit=" ms" label="compute" />
      <Figure value={ms("comm_exposed_ms")} unit=" ms" label={
        `communication, exposed: ${percent(numberOf(of, "exposed_share_of_step"))} % of the step`} />
      <Figure value={ms("wait_ms")} unit=" ms" label={
        `waiting in communication; transfer ${ms("transfer_ms")} ms`} />
      <Figure value={ms("idle_ms")} unit=" ms" label="idle" />
      {memory !== null && <Figure value={decimal(memory / GIB, 1)} unit=" GiB"
        label={`memory at most, on rank ${wordOf(of, "fullest_rank")}`} />}
    </div>
  );
}

export function ManyRanks({ report }: { report: RanksReport }) {
  const { theme, ink, next } = useTheme();
  const overview = rowsOf(report, "overview")[0] ?? {};
  const title = wordOf(report.runs.find((row) => row.run === report.run), "command") ||
    report.dataset.replace(/\/+$/, "").replace(/.*\//, "");
  useLayoutEffect(() => { document.title = `${title} · dltap report`; }, []);
  return (
    <>
      <header>
        <div class="title"><h1>{title}</h1><p>{factsOf(report)}</p></div>
        <div class="switches"><ThemeSwitch theme={theme} next={next} /></div>
      </header>
      <main>
        <section id="verdict" aria-label="verdict">
          {report.warnings.length > 0 && <ul class="warnings">
            {report.warnings.map((text) => <li key={text}>{text}</li>)}</ul>}
          {report.verdict.map((text, i) =>
            <p key={text} class={i === 0 ? "limit" : "note"}>{text}.</p>)}
          <Figures of={overview} />
        </section>
        <Worst worst={report.worst} />
        <Heat map={report.heatmap} ink={ink}
          start={numberOf(overview, "wait_ms") === null ? "compute_ms" : "wait_ms"} />
        <LongestSteps rows={rowsOf(report, "steps")} />
        <Classes rows={rowsOf(report, "classes")} />
        <Collectives rows={rowsOf(report, "sizes")} />
        <Groups rows={rowsOf(report, "groups")} />
      </main>
      <footer>Numbers are those of the questions of dltap query; "?" is unknown. This
        file asks no server for anything.</footer>
    </>
  );
}
