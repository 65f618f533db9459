// SPDX-License-Identifier: Apache-2.0
import type { Advice, Data, Report } from "./data";
import { decimal, ms, percent, words } from "./format";
import { ClassChip } from "./section";

function Figure(props: { value: string; unit: string; label: string }) {
  return (
    <div class="figure">
      <div class="value">{props.value}<small>{props.unit}</small></div>
      <div class="label">{props.label}</div>
    </div>
  );
}

// "of" a step, or of the run where no steps were found.
export const hasSteps = (report: Report): boolean =>
  report.steps.found_by !== "none" && report.steps.mean_ns !== null;

// What numbers that are no means are added up over.
export const whatIsSummed = (report: Report): string =>
  hasSteps(report) ? "the used steps" : "the whole run";

export function HeadFigures({ report }: { report: Report }) {
  const { steps, program } = report;
  const throughput = program.samples_per_s;
  return (
    <div class="figures">
      {hasSteps(report)
        ? <Figure value={ms(steps.mean_ns)} unit=" ms" label={
          steps.stddev_ns === null ? "step" : `step, ± ${ms(steps.stddev_ns)} ms`} />
        : <Figure value={ms(program.longest_wall_ns)} unit=" ms"
          label="the run; no steps found" />}
      <Figure value={percent(program.utilization)} unit=" %" label="GPU computes" />
      {report.narrowed_to === undefined && <Figure unit=" %"
        value={percent(program.cpu_dependency)} label="CPU-dependent" />}
      <Figure value={ms(program.step_mean.idle_ns)} unit=" ms"
        label={hasSteps(report) ? "idle in a step" : "idle"} />
      {throughput !== null &&
        <Figure value={decimal(throughput)} unit="/s" label="samples" />}
    </div>
  );
}

// What it brings: the end of its text, else its bounds.
function gain({ act, text, gain_low_ns, gain_high_ns }: Advice): string {
  if (act !== undefined && text.startsWith(`${act}: `)) {
    return text.slice(act.length + 2);
  }
  if (gain_low_ns === null || gain_low_ns === undefined) return "";
  if (gain_high_ns === null || gain_high_ns === gain_low_ns) {
    return `about ${ms(gain_low_ns)} ms a step`;
  }
  return `${ms(gain_low_ns)} to ${ms(gain_high_ns)} ms a step`;
}

function AdviceList({ advice }: { advice: Advice[] }) {
  return (
    <ol class="advice" aria-label="advice">
      {advice.map((item) => (
        <li key={item.id} tabIndex={0}>
          <span class="what">{item.act ?? item.text}</span>
          <span class="gain">{gain(item)}</span>
          <span class="where">
            {item.class !== null && item.class !== undefined &&
              <ClassChip name={item.class} />}
            {item.phase !== null && item.phase !== undefined && ` ${words(item.phase)}`}
          </span>
          {item.why !== undefined && <span class="why">{item.why}</span>}
        </li>
      ))}
    </ol>
  );
}

// The sentence of the report's text.
export function Verdict({ report, pictures }: Data) {
  const written = report.limit.map((limit) => limit.text).filter(Boolean);
  const lines = written.length > 0 ? written : [pictures.limit];
  const idle = report.devices.length === 0;
  return (
    <section id="verdict" aria-label="verdict">
      {!idle && <HeadFigures report={report} />}
      {idle && <p class="limit">No GPU work lies in this trace
        {report.trust.level === "host" && ": it was recorded at the level host"}.
      </p>}
      {lines.map((line) => line !== undefined && line !== "" &&
        <p class="limit" key={line}>{line}</p>)}
      {report.advice !== undefined && report.advice.length > 0 &&
        <AdviceList advice={report.advice} />}
    </section>
  );
}
