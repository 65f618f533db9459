// SPDX-License-Identifier: Apache-2.0
import { classColor } from "./colors";
import type { ClassRow, Figures, Report } from "./data";
import { decimal, ms, percent, whole, words } from "./format";
import { ClassChip, Section } from "./section";
import { hasSteps } from "./verdict";

// Nothing where the table is narrow: single steps lack these.
function Numbers({ row, narrow }: { row: Figures; narrow: boolean }) {
  const mean = row.step_mean;
  if (narrow) return null;
  return (
    <>
      <td>{mean.calls > 0 ? whole(mean.calls) : "-"}</td>
      <td>{whole(mean.kernels)}</td>
      <td>{percent(row.cpu_dependency)}</td>
      <td>{decimal(row.tflops)}</td>
      <td>{percent(row.of_peak)}</td>
    </>
  );
}

function Row(props: { row: ClassRow; widest: number; narrow: boolean }) {
  const { row, widest, narrow } = props;
  const mean = row.step_mean;
  const width = widest > 0 ? (mean.gpu_ns / widest) * 100 : 0;
  return (
    <tr data-class={row.class}>
      <th scope="row"><ClassChip name={row.class} /></th>
      <td class="gpu">{ms(mean.gpu_ns)}</td>
      <td class="bar">
        <div><i style={{ width: `${width}%`, background: classColor(row.class) }} />
        </div>
        <span>{percent(row.share)}</span>
      </td>
      <Numbers row={row} narrow={narrow} />
      {!narrow && <td class="word">{row.bound === null ? "" : words(row.bound)}</td>}
      <td>{ms(mean.forward_ns)}</td>
      <td>{ms(mean.backward_ns)}</td>
      <td>{ms(mean.update_ns)}</td>
    </tr>
  );
}

export function ClassTable({ report }: { report: Report }) {
  const rows = [...report.classes].sort((a, b) => b.gpu_ns - a.gpu_ns);
  const total = report.program.total;
  const unit = hasSteps(report) ? "ms / step" : "ms";
  const narrow = report.narrowed_to !== undefined;
  if (rows.length === 0) return null;
  return (
    <Section id="classes" title="Classes" note={
      narrow ? "Means over the chosen steps."
        : hasSteps(report) ? "Means over the used steps." : "Of the whole run."}>
      <div class="scroll" tabIndex={0} role="region" aria-label="table of classes">
        <table>
          <thead>
            <tr>
              <th scope="col">class</th>
              <th scope="col">GPU<small>{unit}</small></th>
              <th scope="col">share<small>%</small></th>
              {!narrow && <>
                <th scope="col">calls</th>
                <th scope="col">kernels</th>
                <th scope="col">CPU-dep.<small>%</small></th>
                <th scope="col">TFLOP/s<small>nominal</small></th>
                <th scope="col">of peak<small>% executed</small></th>
                <th scope="col" class="word">bound</th>
              </>}
              <th scope="col">forward<small>ms</small></th>
              <th scope="col">backward<small>ms</small></th>
              <th scope="col">update<small>ms</small></th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => <Row key={row.class} row={row}
              widest={rows[0]?.step_mean.gpu_ns ?? 0} narrow={narrow} />)}
          </tbody>
          <tfoot>
            <tr data-class="total">
              <th scope="row">total</th>
              <td class="gpu">{ms(total.step_mean.gpu_ns)}</td>
              <td class="bar"><span>{percent(total.share)}</span></td>
              <Numbers row={total} narrow={narrow} />
              {!narrow && <td />}
              <td>{ms(total.step_mean.forward_ns)}</td>
              <td>{ms(total.step_mean.backward_ns)}</td>
              <td>{ms(total.step_mean.update_ns)}</td>
            </tr>
          </tfoot>
        </table>
      </div>
    </Section>
  );
}
