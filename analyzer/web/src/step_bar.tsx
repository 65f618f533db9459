// SPDX-License-Identifier: Apache-2.0
// Where the step goes: its phases in order, each by class and cause of idling.
import { classColor, hatchImage } from "./colors";
import type { Report, StepPart } from "./data";
import { className, ms, percent, words } from "./format";
import { CauseChip, ClassChip, Section } from "./section";
import { tipHandlers } from "./tooltip";
import { hasSteps } from "./verdict";

const ORDER = ["all", "io", "h2d", "forward", "backward", "comm", "update", "autotune",
  "other"];

const LEAST_NS = 5000;  // prints as 0.00

const partName = (part: StepPart): string =>
  part.class !== null ? className(part.class)
    : part.cause !== null ? `idle: ${words(part.cause)}` : "not observed";

function Segment({ part, total }: { part: StepPart; total: number }) {
  const style = {
    flexGrow: part.ns,
    backgroundColor: part.class !== null ? classColor(part.class) : undefined,
    backgroundImage: part.cause !== null ? hatchImage(part.cause) : undefined,
  };
  const kind = part.class !== null ? "busy" : part.cause !== null ? "idle" : "blind";
  return <i class={kind} style={style} {...tipHandlers([
    `${words(part.phase)} · ${partName(part)}`,
    `${ms(part.ns)} ms, ${percent(part.ns / total)} % of the step`,
  ])} />;
}

// Work first, the largest first; then idle.
function sorted(parts: StepPart[]): StepPart[] {
  const idle = (part: StepPart) => (part.class === null ? 1 : 0);
  return [...parts].sort((a, b) => idle(a) - idle(b) || b.ns - a.ns);
}

function Legend({ parts }: { parts: StepPart[] }) {
  const sums = new Map<string, StepPart>();
  for (const part of parts) {
    const key = partName(part);
    const sum = sums.get(key) ?? { ...part, ns: 0 };
    sum.ns += part.ns;
    sums.set(key, sum);
  }
  return (
    <ul class="legend">
      {sorted([...sums.values()]).filter((part) => part.ns >= LEAST_NS).map((part) => (
        <li key={partName(part)}>
          {part.class !== null ? <ClassChip name={part.class} />
            : part.cause !== null ? <CauseChip name={part.cause} label={partName(part)} />
              : <span class="chip">not observed</span>}
          <span class="number">{ms(part.ns)}</span>
        </li>
      ))}
    </ul>
  );
}

export function StepBar({ report }: { report: Report }) {
  const { parts, phases } = report.program.step_mean;
  const total = parts.reduce((sum, part) => sum + part.ns, 0);
  if (total <= 0) return null;
  const shown = ORDER.filter((phase) => (phases[`${phase}_ns`] ?? 0) > 0);
  const steps = hasSteps(report);
  return (
    <Section id="step" title={steps ? "Where the step goes" : "Where the run goes"}
      note={(steps ? `Mean of the ${report.narrowed_to === undefined ? "used"
        : "chosen"} steps` : "The whole run") + `, ${ms(total)} ms; hatched: the GPU is idle. `
        + "At each instant the class that leads; hover for numbers."}>
      <div class="stepbar" aria-hidden="true">
        {shown.map((phase) => {
          const ns = phases[`${phase}_ns`] ?? 0;
          return (
            <div class="phase" key={phase} style={{ flexGrow: ns }}>
              <div class="name" {...tipHandlers([
                words(phase), `${ms(ns)} ms, ${percent(ns / total)} %`])}>
                {ns / total > 0.06 && <>{words(phase)} <b>{ms(ns)}</b></>}
              </div>
              <div class="segments">
                {sorted(parts.filter((part) => part.phase === phase))
                  .map((part) => <Segment key={partName(part)} part={part}
                    total={total} />)}
              </div>
            </div>
          );
        })}
      </div>
      <Legend parts={parts} />
      {report.narrowed_to !== undefined &&
        <p class="note">{Object.entries(report.narrowed_to.phases)
          .filter(([, ns]) => ns >= LEAST_NS)
          .map(([name, ns]) => `${words(name)} ${ms(ns)}`).join(" · ")} ms</p>}
      <details>
        <summary>as a table</summary>
        <table class="narrow">
          <thead><tr><th scope="col">phase</th><th scope="col" class="word">what</th>
            <th scope="col">ms</th></tr></thead>
          <tbody>
            {shown.flatMap((phase) => sorted(
              parts.filter((part) => part.phase === phase)).map((part) => (
              <tr key={phase + partName(part)}>
                <th scope="row">{words(phase)}</th>
                <td class="word">{partName(part)}</td><td>{ms(part.ns)}</td>
              </tr>
            )))}
          </tbody>
        </table>
      </details>
    </Section>
  );
}
