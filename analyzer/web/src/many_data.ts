// SPDX-License-Identifier: Apache-2.0
// What RanksJson (analyzer/ranks) writes of a data set of many ranks. Answers
// are those of the named questions, which docs/dataset.md leads to.

export type Value = string | number | boolean | null;
export type Row = Record<string, Value>;

export interface JudgedRank {
  rank: number;
  host: string;
  cause: string;
  since_step: number | null;
  until_step: number | null;
  blame_ms_per_step: number | null;
  step_ms: number | null;
  ms_per_step: number | null;
  slower_by: number | null;
  alone: boolean;
  named_by_late: boolean;
  named_by_stragglers: boolean;
  named_by_cause: boolean;
}

export interface HeatMap {
  ranks_per_row: number;
  steps_per_column: number;
  columns: string[];
  rows: Value[][];
}

export interface RanksReport {
  schema: string;
  version: number;
  dataset: string;
  run: string;
  warnings: string[];
  verdict: string[];
  worst: JudgedRank[];
  heatmap: HeatMap;
  runs: Row[];
  answers: Record<string, Row[]>;
}

export const rowsOf = (report: RanksReport, question: string): Row[] =>
  report.answers[question] ?? [];

export const numberOf = (row: Row | undefined, key: string): number | null => {
  const value = row?.[key];
  return typeof value === "number" ? value : null;
};

export const wordOf = (row: Row | undefined, key: string): string => {
  const value = row?.[key];
  return value === null || value === undefined ? "" : String(value);
};
