// SPDX-License-Identifier: Apache-2.0
// The calls of the used steps, by CPU time: all there is at the level host.
import type { Report } from "./data";
import { decimal, ms, whole } from "./format";
import { Section } from "./section";
import { whatIsSummed } from "./verdict";

const MOST_ROWS = 15;

export function Apis({ report }: { report: Report }) {
  const rows = report.apis.slice(0, MOST_ROWS);
  if (rows.length === 0) return null;
  return (
    <Section id="apis" of_all title="Library calls" note={
      `Outermost calls in ${whatIsSummed(report)}, by CPU time; ${whole(rows.length)} of ` +
      `${whole(report.apis.length)}. GPU: what they submitted.`}>
      <div class="scroll" tabIndex={0} role="region" aria-label="table of calls">
        <table>
          <thead><tr>
            <th scope="col">call</th><th scope="col">calls</th>
            <th scope="col">CPU<small>ms</small></th>
            <th scope="col">mean<small>µs</small></th>
            <th scope="col">GPU<small>ms</small></th>
          </tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row"><code>{row.name}</code></th>
                <td>{whole(row.calls)}</td>
                <td class="gpu">{ms(row.cpu_ns)}</td>
                <td>{decimal(row.mean_cpu_ns === null ? null
                  : row.mean_cpu_ns / 1e3, 2)}</td>
                <td>{report.devices.length > 0 ? ms(row.gpu_ns) : "?"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
