// SPDX-License-Identifier: Apache-2.0
// Several GPUs side by side: what each did with its time.
import { hatchImage } from "./colors";
import type { DeviceRow, Report } from "./data";
import { ms, percent } from "./format";
import { Section } from "./section";
import { tipHandlers } from "./tooltip";
import { whatIsSummed } from "./verdict";

const PARTS: { key: keyof DeviceRow; label: string; color: string }[] = [
  { key: "compute_ns", label: "computes", color: "#2f7fc1" },
  { key: "comm_exposed_ns", label: "communicates, exposed", color: "#d5622a" },
  { key: "copy_exposed_ns", label: "copies, exposed", color: "#8496a8" },
  { key: "idle_ns", label: "idle", color: "" },
  { key: "not_observed_ns", label: "not observed", color: "" },
];

function Bar({ device, longest }: { device: DeviceRow; longest: number }) {
  return (
    <div class="rankbar" style={{ width: `${(device.wall_ns / longest) * 100}%` }}>
      {PARTS.map(({ key, label, color }) => {
        const ns = Number(device[key] ?? 0);
        if (ns <= 0) return null;
        return <i key={key} class={color === "" ? "idle" : "busy"} style={{
          flexGrow: ns,
          backgroundColor: color === "" ? undefined : color,
          backgroundImage: key === "idle_ns" ? hatchImage("wait") : undefined,
        }} {...tipHandlers([label, `${ms(ns)} ms`])} />;
      })}
    </div>
  );
}

export function Ranks({ report }: { report: Report }) {
  const { devices } = report;
  if (devices.length < 2) return null;
  const longest = Math.max(...devices.map((device) => device.wall_ns));
  return (
    <Section id="ranks" of_all title="GPUs and ranks"
      note={`What each GPU did in ${whatIsSummed(report)}, in ms.`}>
      <ul class="legend">
        {PARTS.slice(0, 4).map(({ key, label, color }) => (
          <li key={key}><span class="chip"><i class={color === "" ? "idle" : ""} style={{
            background: color === "" ? undefined : color,
            backgroundImage: color === "" ? hatchImage("wait") : undefined,
          }} aria-hidden="true" />{label}</span></li>
        ))}
      </ul>
      <div class="scroll" tabIndex={0} role="region" aria-label="table of GPUs">
        <table>
          <thead><tr>
            <th scope="col">GPU</th><th scope="col" class="wide" />
            <th scope="col">computes<small>%</small></th>
            <th scope="col">compute</th><th scope="col">comm waits</th>
            <th scope="col">comm transfers</th><th scope="col">copies</th>
            <th scope="col">idle</th><th scope="col">wall</th>
          </tr></thead>
          <tbody>
            {devices.map((device) => (
              <tr key={`${device.process}/${device.id}`}>
                <th scope="row">{device.rank === null ? device.process
                  : `rank ${device.rank}`} · GPU {device.id}</th>
                <td class="wide"><Bar device={device} longest={longest} /></td>
                <td class="gpu">{percent(device.utilization)}</td>
                <td>{ms(device.compute_ns)}</td>
                <td>{ms(device.comm_waiting_ns)}</td>
                <td>{ms(device.comm_transfer_ns)}</td>
                <td>{ms(device.copy_exposed_ns)}</td>
                <td>{ms(device.idle_ns)}</td>
                <td>{ms(device.wall_ns)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
