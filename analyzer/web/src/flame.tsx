// SPDX-License-Identifier: Apache-2.0
// Class, its operations, their kernels: a tree whose bars are GPU time.
import { useMemo, useState } from "preact/hooks";

import { classColor } from "./colors";
import type { OpRow, Report } from "./data";
import { decimal, ms, percent, shortName, whole, words } from "./format";
import { ClassChip, Section } from "./section";

interface Node {
  key: string;
  depth: number;
  name: string;
  class: string;
  direction: string;
  count: number;
  gpu_ns: number;
  tflops: number | null;
  children: Node[];
}

function opNode(op: OpRow): Node {
  const key = `${op.class}/${op.direction}/${op.name}`;
  return {
    key, depth: 1, name: op.name, class: op.class, direction: op.direction,
    count: op.count, gpu_ns: op.gpu_ns, tflops: op.tflops,
    children: op.kernels.map((kernel) => ({
      key: `${key}/${kernel.name}`, depth: 2, name: kernel.name,
      class: op.class, direction: "", count: kernel.count,
      gpu_ns: kernel.gpu_ns, tflops: null, children: [],
    })),
  };
}

function treeOf(report: Report): Node[] {
  return [...report.classes].sort((a, b) => b.gpu_ns - a.gpu_ns).map((row) => ({
    key: row.class, depth: 0, name: row.class, class: row.class, direction: "",
    count: row.kernels, gpu_ns: row.gpu_ns, tflops: row.tflops,
    children: report.ops.filter((op) => op.class === row.class).map(opNode),
  }));
}

const FIRST_CHILDREN = 8;

// Open rows show their largest children; `full` ones all.
function visible(nodes: Node[], open: Set<string>, full: Set<string>): Node[] {
  return nodes.flatMap((node) => {
    if (!open.has(node.key)) return [node];
    const children = full.has(node.key) ? node.children
      : node.children.slice(0, FIRST_CHILDREN);
    return [node, ...visible(children, open, full)];
  });
}

function Name({ node }: { node: Node }) {
  if (node.depth === 0) return <ClassChip name={node.class} />;
  const text = node.depth === 2 ? shortName(node.name) : node.name;
  return <span class="mono" title={node.name}>{text}</span>;
}

function Row(props: {
  node: Node; total: number; largest: number; open: boolean; full: boolean;
  toggle: () => void; showAll: () => void;
}) {
  const { node, total, open } = props;
  const share = total > 0 ? node.gpu_ns / total : 0;
  const width = props.largest > 0 ? node.gpu_ns / props.largest : 0;
  const more = node.children.length - FIRST_CHILDREN;
  return (
    <tr class={`depth${node.depth}`}>
      <th scope="row">
        {node.children.length > 0
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
          background: classColor(node.class), opacity: 1 - node.depth * 0.25 }} /></div>
        <span>{percent(share)}</span>
      </td>
      <td>{whole(node.count)}</td>
      <td>{node.depth === 2 ? "" : decimal(node.tflops)}</td>
    </tr>
  );
}

export function Flame({ report }: { report: Report }) {
  const tree = useMemo(() => treeOf(report), [report]);
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
    <Section id="flame" title="Class, operation, kernel"
      note="GPU time of all used steps; open a row to see what it is made of.">
      <div class="scroll" tabIndex={0} role="region"
        aria-label="tree of classes, operations and kernels">
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
