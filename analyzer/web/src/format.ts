// SPDX-License-Identifier: Apache-2.0
// Numbers as text, like the text report; unknown is "?".
import type { Maybe } from "./data";

function grouped(value: number, digits: number): string {
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

const known = (value: Maybe | undefined): value is number =>
  value !== null && value !== undefined;

export const ms = (ns: Maybe | undefined): string =>
  known(ns) ? grouped(ns / 1e6, 2) : "?";

export const percent = (share: Maybe | undefined): string =>
  known(share) ? grouped(share * 100, 1) : "?";

export const decimal = (value: Maybe | undefined, digits = 1): string =>
  known(value) ? grouped(value, digits) : "?";

export const whole = (value: Maybe | undefined): string =>
  known(value) ? grouped(value, 0) : "?";

// With the unit that suits it.
export function duration(ns: number): string {
  const size = Math.abs(ns);
  if (size >= 1e9) return `${grouped(ns / 1e9, 3)} s`;
  if (size >= 1e6) return `${grouped(ns / 1e6, 3)} ms`;
  if (size >= 1e3) return `${grouped(ns / 1e3, 2)} \u00b5s`;
  return `${grouped(ns, 0)} ns`;
}

export const words = (name: string): string => name.replace(/_/g, " ");

// "conv" -> "CONV", as all reports print classes.
export const className = (name: string): string =>
  words(name).toUpperCase();

// The part of a kernel's name that a reader looks for.
export function shortName(name: string): string {
  const plain = name.replace(/^void /, "").replace(/\(anonymous namespace\)::/g, "");
  const end = plain.search(/[<(]/);
  return end > 0 ? plain.slice(0, end) : plain;
}
