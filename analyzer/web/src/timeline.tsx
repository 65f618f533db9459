// SPDX-License-Identifier: Apache-2.0
// Three steps of a device: streams, why it was idle, the threads that fed it.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { DevicePicture, LongGap, Pictures, Timeline as Picture } from "./data";
import { className, duration, ms, whole, words } from "./format";
import { Section } from "./section";
import type { Ink } from "./theme";
import type { Placed, Spot, View } from "./timeline_draw";
import { drawTimeline, heightOf, LABELS, nameOf, nsAt, partners, place, spotAt }
  from "./timeline_draw";
import { hideTip, showTip } from "./tooltip";

function label(picture: Picture, gap: LongGap | null): string {
  if (picture.which === "gap" && gap !== null) {
    return `around the gap of ${duration(gap.span[1] - gap.span[0])}`;
  }
  const length = ms(picture.window[1] - picture.window[0]);
  if (picture.which === "run") return `the run, ${length} ms`;
  return `${picture.which === "only" ? "the" : picture.which} step` +
    `${picture.step === null ? "" : ` ${picture.step}`}, ${length} ms`;
}

function linesOf(lanes: Placed[], spot: Spot, pictures: Pictures, picture: Picture):
  string[] {
  const placed = lanes[spot.lane];
  if (placed === undefined) return [];
  const { lane } = placed;
  const color = lane.color[spot.span] ?? 0;
  const name = nameOf(placed, spot.span, pictures);
  const begin = (placed.begin[spot.span] ?? 0) - picture.window[0];
  const kind = lane.kind === "stream" ? className(pictures.classes[color] ?? "other")
    : lane.kind === "idle" ? "idle" : "call";
  const detail = pictures.texts[lane.detail[spot.span] ?? 0] ?? "";
  return [
    name,
    `${kind} · ${duration(lane.ns[spot.span] ?? 0)}, from ${duration(begin)}`,
    ...detail.split("\n"),
  ];
}

function clampView(view: View, picture: Picture): View {
  const [first, last] = picture.extent;
  const length = Math.min(Math.max(view.to - view.from, 200), last - first);
  const from = Math.min(Math.max(view.from, first), last - length);
  return { from, to: from + length };
}

// `by` below 1 looks closer; the time at `share` of the width stays in place.
function zoomed(view: View, by: number, share: number): View {
  const at = view.from + share * (view.to - view.from);
  return { from: at - (at - view.from) * by, to: at + (view.to - at) * by };
}

function moved(view: View, by: number): View {
  const length = view.to - view.from;
  return { from: view.from + by * length, to: view.to + by * length };
}

const KEYS: Record<string, (view: View) => View> = {
  w: (view) => zoomed(view, 0.7, 0.5), s: (view) => zoomed(view, 1 / 0.7, 0.5),
  a: (view) => moved(view, -0.15), d: (view) => moved(view, 0.15),
  ArrowLeft: (view) => moved(view, -0.15), ArrowRight: (view) => moved(view, 0.15),
};

function Chosen(props: {
  lanes: Placed[]; spot: Spot; pictures: Pictures; picture: Picture;
}) {
  const { lanes, spot, pictures, picture } = props;
  const others = partners(lanes, spot);
  const kernel = lanes[spot.lane]?.lane.kind === "stream";
  return (
    <dl class="chosen" aria-live="polite">
      {linesOf(lanes, spot, pictures, picture).map((line, i) =>
        <dd key={i} class={i === 0 ? "first" : ""}>{line}</dd>)}
      {others.length > 0 && <dd>{kernel ? "launched by " : "launched "}
        {others.slice(0, 3).map((other) => {
          const placed = lanes[other.lane];
          return placed === undefined ? "" : nameOf(placed, other.span, pictures);
        }).join(", ")}{others.length > 3 && ` and ${others.length - 3} more`}</dd>}
    </dl>
  );
}

// The gap's span in the lane of idle time.
function spotOf(lanes: Placed[], gap: LongGap): Spot | null {
  const lane = lanes.findIndex((placed) => placed.lane.kind === "idle");
  const span = lanes[lane]?.begin.findIndex((begin, i) => begin <= gap.span[0] &&
    begin + (lanes[lane]?.lane.ns[i] ?? 0) >= gap.span[1]) ?? -1;
  return span < 0 ? null : { lane, span };
}

function Picture(props: {
  picture: Picture; pictures: Pictures; ink: Ink; goal: LongGap | null;
}) {
  const { picture, pictures, ink, goal } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{ x: number; view: View; moved: boolean } | null>(null);
  const lanes = useMemo(() => place(picture), [picture]);
  const whole_view = { from: picture.extent[0], to: picture.extent[1] };
  const [view, setView] = useState<View>(whole_view);
  const [chosen, setChosen] = useState<Spot | null>(null);
  const change = (next: View) => setView(clampView(next, picture));
  useLayoutEffect(() => {
    if (goal === null) return;
    const length = goal.span[1] - goal.span[0];
    change({ from: goal.span[0] - length, to: goal.span[1] + length });
    setChosen(spotOf(lanes, goal));
    canvas.current?.focus({ preventScroll: true });
    canvas.current?.closest("section")?.scrollIntoView();
  }, [goal]);
  useLayoutEffect(() => {
    const paint = () => canvas.current !== null && drawTimeline(canvas.current,
      { pictures, timeline: picture, lanes, view, chosen, ink });
    paint();
    addEventListener("resize", paint);
    return () => removeEventListener("resize", paint);
  }, [picture, lanes, view, chosen, ink]);
  const place_of = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width };
  };
  const move = (event: MouseEvent) => {
    const { x, y, width } = place_of(event);
    if (drag.current !== null) {
      const by = (drag.current.x - x) / (width - LABELS);
      if (Math.abs(drag.current.x - x) > 3) drag.current.moved = true;
      change(moved(drag.current.view, by));
      return;
    }
    const spot = spotAt(lanes, view, width, x, y);
    if (spot === null) hideTip();
    else showTip(event.clientX, event.clientY, linesOf(lanes, spot, pictures, picture));
  };
  const up = (event: MouseEvent) => {
    const was = drag.current;
    drag.current = null;
    if (was === null || was.moved) return;
    const { x, y, width } = place_of(event);
    setChosen(spotAt(lanes, view, width, x, y));
  };
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;  // the page scrolls
    event.preventDefault();
    const { x, width } = place_of(event);
    const share = (nsAt(x, view, width) - view.from) / (view.to - view.from);
    change(zoomed(view, event.deltaY > 0 ? 1.25 : 0.8, share));
  };
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { setChosen(null); setView(whole_view); return; }
    const next = KEYS[event.key]?.(view);
    if (next === undefined) return;
    event.preventDefault();
    change(next);
  };
  return (
    <>
      <canvas ref={canvas} class="timeline" tabIndex={0} role="img"
        style={{ height: `${heightOf(lanes)}px` }}
        aria-label={`timeline of ${label(picture, goal)}; w and s look closer and farther, a and d move`}
        onMouseDown={(event) => {
          drag.current = { x: place_of(event).x, view, moved: false };
        }}
        onMouseMove={move} onMouseUp={up} onWheel={wheel} onKeyDown={key}
        onMouseLeave={() => { drag.current = null; hideTip(); }} />
      {chosen !== null && <Chosen lanes={lanes} spot={chosen} pictures={pictures}
        picture={picture} />}
    </>
  );
}

export function Timelines(props: {
  device: DevicePicture; pictures: Pictures; ink: Ink; goal: LongGap | null;
}) {
  const { device, pictures, ink } = props;
  const [which, setWhich] = useState(0);
  const [goal, setGoal] = useState<LongGap | null>(null);
  useLayoutEffect(() => {
    if (props.goal === null) return;
    setWhich(props.goal.timeline ?? 0);
    setGoal({ ...props.goal });  // the same gap may be asked for again
  }, [props.goal]);
  const picture = device.timelines[Math.min(which, device.timelines.length - 1)];
  if (picture === undefined) return null;
  const tools = picture.together > 0
    ? ` ${whole(picture.together)} short spans are drawn as part of another.` : "";
  return (
    <Section id="timeline" title="Timeline" of_all note={
      `Press a span for what launched it. Drag to move, Ctrl + wheel or ${
        words("w_s_a_d")} to look closer, Escape for all.${tools}`}>
      <div class="tabs" role="group" aria-label="step">
        {device.timelines.map((each, i) => (
          (each.which !== "gap" || each === picture) &&
          <button key={i} aria-pressed={each === picture}
            onClick={() => { setWhich(i); setGoal(null); }}>{label(each, goal)}</button>
        ))}
      </div>
      <Picture key={which} picture={picture} pictures={pictures} ink={ink}
        goal={goal} />
    </Section>
  );
}
