// SPDX-License-Identifier: Apache-2.0
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";

import { classColor, hatchImage } from "./colors";
import { className, words } from "./format";

// Whether the page is about some of the used steps; not all sections can be.
export const IsNarrowed = createContext(false);

export function Section(props: {
  id: string;
  title: string;
  note?: ComponentChildren;
  of_all?: boolean;  // always about all used steps
  children: ComponentChildren;
}) {
  const not_narrowed = useContext(IsNarrowed) && props.of_all === true;
  return (
    <section id={props.id} aria-labelledby={`${props.id}-title`}>
      <div class="head">
        <h2 id={`${props.id}-title`}>{props.title}</h2>
        {(props.note !== undefined || not_narrowed) && <p class="note">
          {props.note}{not_narrowed && <b> Of all used steps.</b>}</p>}
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
