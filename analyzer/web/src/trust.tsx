// SPDX-License-Identifier: Apache-2.0
import type { Report } from "./data";
import { decimal, ms, percent, whole, words } from "./format";

type State = "good" | "warn" | "plain";
const MARKS: Record<State, string> = { good: "✓", warn: "!", plain: "·" };

function Item(props: { state: State; children: string }) {
  return (
    <li class={props.state}>
      <b aria-hidden="true">{MARKS[props.state]}</b>{props.children}
    </li>
  );
}

// Below these shares the report itself warns or keeps back its advice.
const ENOUGH_CLASSIFIED = 0.95;
const ENOUGH_FLOPS = 0.8;

export function Trust({ report }: { report: Report }) {
  const { trust, coverage } = report;
  const share = (value: number | null, enough: number): State =>
    value === null ? "plain" : value >= enough ? "good" : "warn";
  return (
    <section id="trust" aria-label="how far the numbers can be trusted">
      {trust.warnings.length > 0 && (
        <ul class="warnings">
          {trust.warnings.map((warning) =>
            <li key={warning.id + warning.text}>{warning.text}</li>)}
        </ul>
      )}
      <ul class="strip">
        <Item state={trust.lost_records === 0 ? "good" : "warn"}>
          {`${whole(trust.lost_records)} records lost`}</Item>
        <Item state={share(trust.classified_share, ENOUGH_CLASSIFIED)}>
          {`${percent(trust.classified_share)} % of GPU time classified`}</Item>
        <Item state={share(trust.flops_known_share, ENOUGH_FLOPS)}>
          {`FLOPs known for ${percent(trust.flops_known_share)} %`}</Item>
        <Item state={share(coverage.share, 0.9)}>
          {`covers ${percent(coverage.share)} % of the GPU time`}</Item>
        <Item state={trust.launches_without_kernel === 0 ? "good" : "warn"}>
          {`${whole(trust.launches_without_kernel)} launches without kernel`}</Item>
        <Item state={trust.kernels_without_launch === 0 ? "good" : "warn"}>
          {`${whole(trust.kernels_without_launch)} kernels without launch`}</Item>
        <Item state="plain">{`own cost ${ms(trust.overhead_ns)} ms in all`}</Item>
        <Item state="plain">
          {`clocks ±${decimal(trust.clock_residual_ns === null
            ? null : trust.clock_residual_ns / 1e3)} µs`}</Item>
        <Item state={trust.why === null ? "plain" : "warn"}>
          {`level ${trust.level ?? "?"}` +
            (trust.why === null ? "" : `: ${words(trust.why)}`)}</Item>
      </ul>
    </section>
  );
}
