// SPDX-License-Identifier: Apache-2.0
// Class, its layers, their operations, their kernels: a tree whose bars are GPU
// time. A trace that was too long for layers has the operations of a class.
import { useMemo, useState } from "preact/hooks";

import { classColor } from "./colors";
import type { LayerBranch, LayerOp, OpRow, Pictures, Report } from "./data";
import { decimal, ms, percent, shortName, whole, words } from "./format";
import { ClassChip, Section } from "./section";
import { whatIsSummed } from "./verdict";

interface Node {
  key: string;
  depth: number;
  kind: "class" | "layer" | "op" | "kernel";
  name: string;
  class: string;
  direction: string;
  count: number;
  gpu_ns: number;
  tflops: number | null;
  children: () => Node[];  // made when they are looked at
  child_count: number;
}

const leaf = { tflops: null, direction: "", child_count: 0, children: () => [] };

function opNode(op: OpRow, depth: number, parent: string): Node {
  const key = `${parent}/${op.direction}/${op.name}`;
  return {
    key, depth, kind: "op", name: op.name, class: op.class,
    direction: op.direction, count: op.count, gpu_ns: op.gpu_ns,
    tflops: op.tflops, child_count: op.kernels.length,
    children: () => op.kernels.map((kernel) => ({ ...leaf,
      key: `${key}/${kernel.name}`, depth: depth + 1, kind: "kernel",
      name: kernel.name, class: op.class, count: kernel.count,
      gpu_ns: kernel.gpu_ns })),
  };
}

// As the report has ops.
function opOf(branch: LayerBranch, op: LayerOp, texts: string[]): OpRow {
  const kernels = op.kernels.map((name, i) => ({ name: texts[name] ?? "",
    count: op.counts[i] ?? 0, gpu_ns: op.ns[i] ?? 0 }));
  return { ...op, class: branch.class, name: texts[op.name] ?? "", share: null,
    kernels: kernels.sort((a, b) => b.gpu_ns - a.gpu_ns) };
}

function layerNode(branch: LayerBranch, number: number, pictures: Pictures): Node {
  const key = `${branch.class}/${number}`;
  return {
    key, depth: 1, kind: "layer", name: branch.name, class: branch.class,
    direction: "", count: branch.kernels, gpu_ns: branch.gpu_ns,
    tflops: branch.tflops, child_count: branch.ops.length,
    children: () => branch.ops.map((op) =>
      opNode(opOf(branch, op, pictures.layer_texts), 2, key)),
  };
}

function treeOf(report: Report, pictures: Pictures): Node[] {
  const with_layers = pictures.layers.length > 0;
  return [...report.classes].sort((a, b) => b.gpu_ns - a.gpu_ns).map((row) => {
    const ops = report.ops.filter((op) => op.class === row.class);
    const layers = pictures.layers.filter((layer) => layer.class === row.class);
    return { key: row.class, depth: 0, kind: "class", name: row.class,
      class: row.class, direction: "", count: row.kernels, gpu_ns: row.gpu_ns,
      tflops: row.tflops, child_count: with_layers ? layers.length : ops.length,
      children: () => with_layers
        ? layers.map((layer, i) => layerNode(layer, i, pictures))
        : ops.map((op) => opNode(op, 1, row.class)) };
  });
}

const FIRST_CHILDREN = 8;

// Open rows show their largest children; `full` ones all.
function visible(nodes: Node[], open: Set<string>, full: Set<string>): Node[] {
  return nodes.flatMap((node) => {
    if (!open.has(node.key)) return [node];
    const children = full.has(node.key) ? node.children()
      : node.children().slice(0, FIRST_CHILDREN);
    return [node, ...visible(children, open, full)];
  });
}

function Name({ node }: { node: Node }) {
  if (node.kind === "class") return <ClassChip name={node.class} />;
  const text = node.kind === "kernel" ? shortName(node.name) : node.name;
  return <span class={node.kind === "layer" ? "layer" : "mono"} title={node.name}>
    {text}</span>;
}

function Row(props: {
  node: Node; total: number; largest: number; open: boolean; full: boolean;
  toggle: () => void; showAll: () => void;
}) {
  const { node, total, open } = props;
  const share = total > 0 ? node.gpu_ns / total : 0;
  const width = props.largest > 0 ? node.gpu_ns / props.largest : 0;
  const more = node.child_count - FIRST_CHILDREN;
  return (
    <tr class={`depth${node.depth}`}>
      <th scope="row">
        {node.child_count > 0
          ? <button class="fold" aria-expanded={open} onClick={props.toggle}>
            <span aria-hidden="true">{open ? "▾" : "▸"}</span><Name node={node} />
          </button>
          : <span class="leaf"><Name node={node} /></span>}
        {open && more > 0 && !props.full && <button class="rest"
          onClick={props.showAll}>show {whole(more)} more</button>}
      </th>
      <td class="word">{words(node.direction)}</td>
      <td class="gpu">{ms(node.gpu_ns)}</td>
      <td class="bar">
        <div><i style={{ width: `${width * 100}%`,
          background: classColor(node.class), opacity: 1 - node.depth * 0.22 }} /></div>
        <span>{percent(share)}</span>
      </td>
      <td>{whole(node.count)}</td>
      <td>{node.kind === "kernel" ? "" : decimal(node.tflops)}</td>
    </tr>
  );
}

export function Flame({ report, pictures }: { report: Report; pictures: Pictures }) {
  const tree = useMemo(() => treeOf(report, pictures), [report, pictures]);
  const [open, setOpen] = useState<Set<string>>(
    () => new Set(tree.slice(0, 1).map((node) => node.key)));
  const [full, setFull] = useState<Set<string>>(new Set());
  if (tree.length === 0) return null;
  const toggle = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  return (
    <Section id="flame" of_all title="Class, layer, operation, kernel"
      note={`GPU time of ${whatIsSummed(report)}; open a row to see what it is made of. `
        + "A layer has a row in each class that its kernels are of."}>
      <div class="scroll" tabIndex={0} role="region"
        aria-label="tree of classes, layers, operations and kernels">
        <table class="flame">
          <thead><tr>
            <th scope="col">what</th><th scope="col" class="word">direction</th>
            <th scope="col">GPU<small>ms</small></th>
            <th scope="col">share<small>%</small></th>
            <th scope="col">count</th><th scope="col">TFLOP/s</th>
          </tr></thead>
          <tbody>
            {visible(tree, open, full).map((node) => <Row key={node.key} node={node}
              total={report.program.total.gpu_ns} largest={tree[0]?.gpu_ns ?? 0}
              open={open.has(node.key)} full={full.has(node.key)}
              toggle={() => toggle(node.key)}
              showAll={() => setFull(new Set(full).add(node.key))} />)}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
