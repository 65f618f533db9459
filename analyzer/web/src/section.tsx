// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";

import { classColor, hatchImage } from "./colors";
import { className, words } from "./format";

export function Section(props: {
  id: string;
  title: string;
  note?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section id={props.id} aria-labelledby={`${props.id}-title`}>
      <div class="head">
        <h2 id={`${props.id}-title`}>{props.title}</h2>
        {props.note !== undefined && <p class="note">{props.note}</p>}
      </div>
      {props.children}
    </section>
  );
}

export function ClassChip(props: { name: string }) {
  return (
    <span class="chip">
      <i style={{ background: classColor(props.name) }} aria-hidden="true" />
      {className(props.name)}
    </span>
  );
}

export function CauseChip(props: { name: string; label?: string }) {
  return (
    <span class="chip">
      <i class="idle" style={{ backgroundImage: hatchImage(props.name) }}
        aria-hidden="true" />
      {props.label ?? words(props.name)}
    </span>
  );
}
