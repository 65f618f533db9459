// SPDX-License-Identifier: Apache-2.0
// One colour for each class in all views, told apart with the common kinds of
// colour blindness as far as 24 can be: the large classes have the hues of Okabe
// and Ito, what moves or fills memory is grey. Nothing is said by colour alone.

const CLASSES: Record<string, string> = {
  conv: "#2f7fc1",
  rnn: "#7cc4ec",
  attention: "#e69f00",
  gemm: "#12a17a",
  norm: "#cc79a7",
  pool: "#9bb8e0",
  activation: "#d8c552",
  softmax: "#a3a336",
  loss: "#8f3b63",
  embedding: "#9a5fc0",
  elementwise: "#b59a77",
  reduction: "#7f8fa9",
  dropout: "#c6b2de",
  optimizer: "#c8616f",
  moe: "#7a3b2e",
  layout: "#a3aab2",
  comm: "#d5622a",
  copy_h2d: "#6d7f92",
  copy_d2h: "#8496a8",
  copy_d2d: "#99a8b8",
  copy_p2p: "#adbac7",
  memset: "#c0cad4",
  other: "#9a9a9a",
  unattributed: "#b8b8b8",
};

export const classColor = (name: string): string => CLASSES[name] ?? "#9a9a9a";

// Idle time is hatched; angle and distance tell the causes apart.
export interface Hatch {
  angle: number;
  gap: number;
}

const CAUSES: Record<string, Hatch> = {
  wait: { angle: 45, gap: 5 },
  input: { angle: 135, gap: 5 },
  library: { angle: 90, gap: 5 },
  launch: { angle: 0, gap: 4 },
  framework: { angle: 60, gap: 7 },
  preempted: { angle: 120, gap: 7 },
  blocked: { angle: 0, gap: 7 },
  unknown: { angle: 90, gap: 9 },
  profiler: { angle: 30, gap: 9 },
  dependency: { angle: 45, gap: 9 },
  latency: { angle: 135, gap: 9 },
};

export const hatchOf = (cause: string): Hatch =>
  CAUSES[cause] ?? { angle: 45, gap: 6 };

export function hatchImage(cause: string): string {
  const { angle, gap } = hatchOf(cause);
  return `repeating-linear-gradient(${angle}deg, var(--hatch) 0 1.2px, ` +
    `transparent 1.2px ${gap}px)`;
}

// The same for a canvas.
export function hatchPattern(
  context: CanvasRenderingContext2D, cause: string, line: string, fill: string,
): CanvasPattern | string {
  const { angle, gap } = hatchOf(cause);
  const size = gap * 4;
  const tile = document.createElement("canvas");
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext("2d");
  if (pen === null) return fill;
  pen.fillStyle = fill;
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = line;
  const slanted = angle % 90 !== 0;
  for (let i = -size; i < 2 * size; i += gap) {
    pen.save();
    if (slanted) {
      pen.beginPath();
      // Across the direction of a gradient with this angle.
      pen.moveTo(i, angle < 90 ? 0 : size);
      pen.lineTo(i + size, angle < 90 ? size : 0);
      pen.strokeStyle = line;
      pen.stroke();
    } else if (angle === 90) {
      pen.fillRect(i, 0, 1, size);
    } else {
      pen.fillRect(0, i, size, 1);
    }
    pen.restore();
  }
  return context.createPattern(tile, "repeat") ?? fill;
}
