// SPDX-License-Identifier: Apache-2.0
// One box beside the pointer. Its lines are text, never markup.

let box: HTMLElement | null = null;

export function showTip(x: number, y: number, lines: string[]): void {
  if (box === null) {
    box = document.createElement("div");
    box.className = "tip";
    box.setAttribute("role", "status");
    document.body.append(box);
  }
  box.replaceChildren(...lines.filter((line) => line !== "").map((line) => {
    const element = document.createElement("div");
    element.textContent = line;
    return element;
  }));
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  const left = Math.min(x + 14, innerWidth - width - 8);
  const top = y + 18 + height > innerHeight ? y - height - 10 : y + 18;
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${Math.max(8, top)}px`;
}

export function hideTip(): void {
  if (box !== null) box.hidden = true;
}

export const tipHandlers = (lines: string[]) => ({
  onMouseMove: (event: MouseEvent) => showTip(event.clientX, event.clientY, lines),
  onMouseLeave: hideTip,
});
