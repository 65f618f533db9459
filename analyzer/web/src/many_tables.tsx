// SPDX-License-Identifier: Apache-2.0
// Answers of questions as tables: numbers as the questions give them.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { className, decimal, percent, whole } from "./format";
import type { JudgedRank, Row } from "./many_data";
import { numberOf, wordOf } from "./many_data";
import { Section } from "./section";

const FIRST_ROWS = 20;

interface Column {
  head: string;
  unit?: string;
  word?: boolean;
  text: (row: Row) => string;
}

const number = (head: string, key: string, digits = 2, unit = ""): Column =>
  ({ head, unit, text: (row) => decimal(numberOf(row, key), digits) });
const count = (head: string, key: string): Column =>
  ({ head, text: (row) => whole(numberOf(row, key)) });
const share = (head: string, key: string): Column =>
  ({ head, unit: "%", text: (row) => percent(numberOf(row, key)) });
const word = (head: string, key: string, of = (text: string) => text): Column =>
  ({ head, word: true, text: (row) => of(wordOf(row, key)) });

const CLASSES: Column[] = [
  word("class", "class", className), word("direction", "direction"),
  number("kernels", "kernels_per_step", 1, "a step"),
  number("mean", "mean_ms", 2, "ms"), number("least", "least_ms", 2, "ms"),
  number("most", "most_ms", 2, "ms"), number("most of median", "most_of_median"),
  count("worst rank", "worst_rank"), number("kernel p99", "kernel_p99_us", 1, "µs"),
];
const SIZES: Column[] = [
  word("kind", "kind"), count("ranks", "members"), count("bytes from", "from_bytes"),
  count("count", "collectives"), count("groups", "communicators"),
  number("wait", "mean_wait_us", 1, "µs"), number("transfer", "transfer_us", 1, "µs"),
  share("waiting", "wait_share"), number("bus", "bus_gb_per_s", 1, "GB/s"),
  share("of link", "share_of_link"),
];
const GROUPS: Column[] = [
  word("purpose", "purpose"), word("communicator", "communicator"),
  count("ranks", "ranks"), count("in the data", "members"),
  count("first rank", "first_rank"), count("last rank", "last_rank"),
  count("apart", "stride"), count("collectives a rank", "collectives_per_rank"),
];
const STEPS: Column[] = [
  count("step", "step"), number("median", "step_ms", 2, "ms"),
  number("longest", "longest_ms", 2, "ms"), number("compute", "compute_ms", 2, "ms"),
  number("communication, exposed", "comm_exposed_ms", 2, "ms"),
  number("idle", "idle_ms", 2, "ms"), count("slowest rank", "slowest_rank"),
  number("its own part, of the median", "slowest_of_median"),
];

function Answer(props: {
  id: string; title: string; rows: Row[]; columns: Column[];
  note?: ComponentChildren;
}) {
  const { id, title, rows, columns } = props;
  const [all, setAll] = useState(false);
  if (rows.length === 0) return null;
  const shown = all ? rows : rows.slice(0, FIRST_ROWS);
  return (
    <Section id={id} title={title} note={props.note}>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead><tr>{columns.map(({ head, unit, word: is_word }) => (
            <th key={head} scope="col" class={is_word ? "word" : undefined}>{head}
              {unit !== undefined && unit !== "" && <small>{unit}</small>}</th>))}
          </tr></thead>
          <tbody>{shown.map((row, i) => (
            <tr key={i}>{columns.map((column, c) => c === 0
              ? <th key={c} scope="row"><bdi>{column.text(row)}</bdi></th>
              : <td key={c} class={column.word ? "word" : undefined}>
                <bdi>{column.text(row)}</bdi></td>)}
            </tr>))}</tbody>
        </table>
      </div>
      {rows.length > FIRST_ROWS && <button class="more" onClick={() => setAll(!all)}>
        {all ? "fewer" : `${rows.length - FIRST_ROWS} more`}</button>}
    </Section>
  );
}

export const Classes = ({ rows }: { rows: Row[] }) => (
  <Answer id="classes" title="Classes over ranks" rows={rows} columns={CLASSES}
    note="GPU time in a step, by rank: mean, least and most." />);

export const Collectives = ({ rows }: { rows: Row[] }) => (
  <Answer id="collectives" title="Collectives" rows={rows} columns={SIZES}
    note={"By kind and size. Wait: from a member's arrival to the last one's, the mean; " +
      "transfer: from then on, the median."} />);

export const Groups = ({ rows }: { rows: Row[] }) => (
  <Answer id="groups" title="Groups of ranks" rows={rows} columns={GROUPS}
    note="Recovered from communicators." />);

export const LongestSteps = ({ rows }: { rows: Row[] }) => (
  <Answer id="steps" title="The longest steps" rows={rows} columns={STEPS} />);

const namedBy = (rank: JudgedRank): string => [
  rank.named_by_late ? "late" : "", rank.named_by_stragglers ? "stragglers" : "",
  rank.named_by_cause ? "cause" : "",
].filter((name) => name !== "").join(", ") || "nothing";

export function Worst({ worst }: { worst: JudgedRank[] }) {
  if (worst.length === 0) return null;
  return (
    <Section id="worst" title="The worst ranks"
      note={"Others wait: by late arrivals. Own excess: what the rank itself takes " +
        "longer than ranks that run the same."}>
      <div class="scroll" tabIndex={0} role="region" aria-label="the worst ranks">
        <table>
          <thead><tr>
            <th scope="col">rank</th><th scope="col" class="word">host</th>
            <th scope="col" class="word">cause</th><th scope="col">since step</th>
            <th scope="col">others wait<small>ms a step</small></th>
            <th scope="col">own excess<small>ms a step</small></th>
            <th scope="col">slower<small>%</small></th>
            <th scope="col" class="word">named by</th>
          </tr></thead>
          <tbody>{worst.map((rank) => (
            <tr key={rank.rank}>
              <th scope="row">{rank.rank}</th>
              <td class="word"><bdi>{rank.host}</bdi></td>
              <td class="word">{rank.cause === "" ? "?" : rank.cause}</td>
              <td>{namedBy(rank) === "nothing" || rank.since_step === null ? ""
                : rank.since_step}</td>
              <td>{decimal(rank.blame_ms_per_step, 2)}</td>
              <td>{decimal(rank.ms_per_step, 2)}</td>
              <td>{percent(rank.slower_by)}</td>
              <td class="word">{namedBy(rank)}</td>
            </tr>))}</tbody>
        </table>
      </div>
    </Section>
  );
}
