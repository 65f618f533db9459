// SPDX-License-Identifier: Apache-2.0
// The code that the host was in while the GPU was idle: where looks at its
// Python frames found it, and what an imported trace has around unknown time.
import type { Report, SeenState } from "./data";
import { className, ms, whole } from "./format";
import { Section } from "./section";
import { whatIsSummed } from "./verdict";

// In the order of the text report.
const STATES: [SeenState, string][] = [
  ["input", "input"],
  ["between_calls", "between calls"],
  ["wait", "in a wait"],
  ["call", "in a call"],
];

interface Place {
  during: string;
  name: string;
  step_ns: number;
  looks: string;
}

function placesOf(report: Report): Place[] {
  const { seen_in, unknown_in } = report.program;
  const seen = STATES.flatMap(([state, during]) => seen_in
    .filter((row) => row.state === state)
    .map((row) => ({ during, name: row.name, step_ns: row.step_ns,
      looks: `${whole(row.looks)} of ${whole(row.of_looks)}` })));
  const unknown = [...unknown_in].sort((a, b) => b.ns - a.ns).map((row) => ({
    during: row.class === null ? "unknown, between steps"
      : `unknown, before ${className(row.class)}`,
    name: row.name, step_ns: row.step_ns, looks: "" }));
  return [...seen, ...unknown];
}

export function Places({ report }: { report: Report }) {
  const places = placesOf(report);
  if (places.length === 0) return null;
  const has_looks = places.some((place) => place.looks !== "");
  return (
    <Section id="places" of_all title="Where the host was meanwhile" note={
      `While the GPU was idle, in ${whatIsSummed(report)}` + (has_looks
        ? ": by how many looks at the thread that submits, of those in that state. " +
          "Few looks tell little." : ".")}>
      <div class="scroll" tabIndex={0} role="region" aria-label="places">
        <table>
          <thead><tr>
            <th scope="col">place</th><th scope="col">idle<small>ms</small></th>
            <th scope="col" class="word">while</th>
            {has_looks && <th scope="col">looks</th>}
          </tr></thead>
          <tbody>
            {places.map((place, i) => (
              <tr key={i}>
                <th scope="row"><code>{place.name}</code></th>
                <td class="gpu">{ms(place.step_ns)}</td>
                <td class="word">{place.during}</td>
                {has_looks && <td>{place.looks}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
