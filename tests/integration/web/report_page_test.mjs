// SPDX-License-Identifier: Apache-2.0
// report_page_test.mjs DLTAP TOOLS: opens pages of `dltap report --html` in
// Chromium. Exits with 77 where there is none.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync }
  from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";

import { EVIL, madeTrace } from "./made_trace.mjs";
import { digits, launched, needChromium, openIn } from "./page.mjs";

const [dltap, tools] = process.argv.slice(2);
needChromium();

const folder = mkdtempSync(join(tmpdir(), "dltap-page-"));
let browser;
let axe;
before(async () => ({ browser, axe } = await launched(tools)));
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

let files = 0;
const fresh = (ending) => join(folder, `${++files}${ending}`);

function traceFile(options) {
  const path = fresh(".json");
  writeFileSync(path, madeTrace(options));
  return path;
}

function pageOf(traces, ...options) {
  const html = fresh(".html");
  execFileSync(dltap, ["report", ...traces, "--html", html, ...options],
    { stdio: "pipe" });
  return html;
}

const jsonOf = (traces, ...options) => JSON.parse(
  execFileSync(dltap, ["report", "--json", ...traces, ...options],
    { stdio: ["ignore", "pipe", "pipe"] }).toString());

const open = (html, options) => openIn(browser, html, options);

// The two documents of a page.
function heldIn(html) {
  const text = readFileSync(html, "utf8");
  const held = (id) => JSON.parse(gunzipSync(Buffer.from(
    text.match(new RegExp(`id="${id}">([^<]*)<`))[1], "base64")).toString());
  return { report: held("report"), pictures: held("pictures") };
}

// The page of another report.
function changedPage(html, report) {
  const changed = fresh(".html");
  writeFileSync(changed, readFileSync(html, "utf8").replace(
    /id="report">[^<]*</, () => `id="report">${
      gzipSync(JSON.stringify(report)).toString("base64")}<`));
  return changed;
}

const ms = (ns) => digits(ns / 1e6, 2);
const percent = (share) => digits(share === null ? null : share * 100, 1);

const cells = (page, row) => page.locator(`#classes tr[data-class="${row}"] td`)
  .allTextContents();

async function checkClasses(page, report) {
  const rows = report.classes.map((row) => [row.class, row]);
  for (const [name, row] of [...rows, ["total", report.program.total]]) {
    const shown = await cells(page, name);
    assert.equal(shown[0], ms(row.step_mean.gpu_ns), `${name}: GPU`);
    assert.equal(shown[1], percent(row.share), `${name}: share`);
    assert.equal(shown[3], digits(row.step_mean.kernels, 0), `${name}: kernels`);
    assert.equal(shown[4], percent(row.cpu_dependency), `${name}: CPU`);
    assert.equal(shown[5], digits(row.tflops, 1), `${name}: TFLOP/s`);
    assert.equal(shown[8], ms(row.step_mean.forward_ns), `${name}: forward`);
    assert.equal(shown[9], ms(row.step_mean.backward_ns), `${name}: backward`);
  }
}

test("a page opens from a file, asks for nothing, complains of nothing", async () => {
  const html = pageOf([traceFile()]);
  const { page, faults, requests, close } = await open(html);
  assert.deepEqual(requests, [`file://${html}`]);
  assert.deepEqual(faults, []);
  for (const id of ["verdict", "trust", "step", "classes", "steps", "timeline",
    "flame", "idle", "kernels"]) {
    assert.equal(await page.locator(`#${id}`).count(), 1, id);
  }
  await close();
});

test("the numbers of the page are those of --json", async () => {
  const traces = [traceFile()];
  const report = jsonOf(traces);
  const { page, close } = await open(pageOf(traces));
  await checkClasses(page, report);
  const parts = report.program.step_mean.parts;
  const of_phase = (phase) => parts.filter((part) => part.phase === phase)
    .reduce((sum, part) => sum + part.ns, 0);
  for (const [name, ns] of Object.entries(report.program.step_mean.phases)) {
    assert.ok(Math.abs(of_phase(name.replace(/_ns$/, "")) - ns) < 1e-3, name);
  }
  const kernels = await page.locator("#kernels tbody tr").allTextContents();
  assert.equal(kernels.length, report.kernels.length);
  for (const row of report.kernels) {
    assert.ok(kernels.some((text) => text.includes(row.name) &&
      text.startsWith(ms(row.gpu_ns))), row.name);
  }
  await close();
});

test("each op's kernels add up to it, and each class's ops to the class", () => {
  const report = jsonOf([traceFile()]);
  const sum = (rows) => rows.reduce((all, row) => all + row.gpu_ns, 0);
  for (const op of report.ops) assert.equal(sum(op.kernels), op.gpu_ns, op.name);
  for (const row of report.classes) {
    assert.equal(sum(report.ops.filter((op) => op.class === row.class)),
      row.gpu_ns, row.class);
  }
});

test("class, layer, op, kernel: each level of the tree sums to the one above", () => {
  const traces = [traceFile()];
  const { pictures } = heldIn(pageOf(traces));
  const report = jsonOf(traces);
  const sum = (rows) => rows.reduce((all, row) => all + row.gpu_ns, 0);
  for (const row of report.classes) {
    const branches = pictures.layers.filter((each) => each.class === row.class);
    assert.ok(branches.length > 0, row.class);
    assert.equal(sum(branches), row.gpu_ns, row.class);
    for (const branch of branches) {
      assert.equal(sum(branch.ops), branch.gpu_ns, branch.name);
      for (const op of branch.ops) {
        assert.equal(op.ns.reduce((all, ns) => all + ns, 0), op.gpu_ns);
      }
    }
  }
});

test("the tree opens from a class to a layer, an op and a kernel", async () => {
  const { page, close } = await open(pageOf([traceFile()]));
  const rows = page.locator("#flame tbody tr");
  for (const depth of [1, 2]) {
    await page.locator(`#flame .depth${depth} button.fold[aria-expanded=false]`)
      .first().click();
  }
  const depths = await rows.evaluateAll((all) => all.map((row) => row.className));
  assert.deepEqual(depths.slice(0, 4), ["depth0", "depth1", "depth2", "depth3"]);
  const names = await rows.locator("th").allTextContents();
  assert.match(names[3], /ampere_sgemm_128x64_tn/);
  await close();
});

test("a kernel whose name is markup stays text", async () => {
  const { page, faults, close } = await open(pageOf([traceFile()]));
  for (let i = 0; i < 12; i++) {
    const folded = page.locator("#flame button.fold[aria-expanded=false]");
    if (await folded.count() === 0) break;
    await folded.first().click();
  }
  assert.ok(await page.locator("#flame").getByText(EVIL).count() >= 1);
  assert.ok(await page.locator("#kernels").getByText(EVIL).count() >= 1);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.evaluate(() => window.__ran), undefined);
  assert.deepEqual(faults, []);
  await close();
});

test("names of kilobytes leave the page readable, narrow too", async () => {
  const path = fresh(".json");
  writeFileSync(path, madeTrace().replaceAll("ampere_sgemm_128x64_tn", "k".repeat(4096)));
  const { page, close } = await open(pageOf([path]),
    { viewport: { width: 360, height: 740 } });
  for (const depth of [1, 2]) {
    await page.locator(`#flame .depth${depth} button.fold[aria-expanded=false]`)
      .first().click();
  }
  for (const id of ["flame", "idle", "kernels"]) {
    const { height } = await page.locator(`#${id}`).boundingBox();
    assert.ok(height < 2000, `${id}: ${height} px`);
  }
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  await close();
});

// The policy holds for what the page itself would run, not for the driver.
test("a script that found its way into the page would not run", async () => {
  const { page, close } = await open(pageOf([traceFile()]));
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.__ran = 1";
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.__ran), undefined);
  await close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing serious, ${colorScheme}`, async () => {
    const { page, close } = await open(pageOf([traceFile()]), { colorScheme });
    await page.locator("#idle table.heat button").first().click();
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    const serious = violations
      .filter(({ impact }) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    assert.deepEqual(serious, []);
    await close();
  });
}

test("'/' searches the kernels, and the rows found are copied as CSV", async () => {
  const traces = [traceFile()];
  const { page, close } = await open(pageOf(traces),
    { permissions: ["clipboard-read", "clipboard-write"] });
  await page.keyboard.press("/");
  await page.keyboard.type("sgemm");
  assert.equal(await page.locator("#kernels tbody tr").count(), 1);
  await page.getByText("copy as CSV").click();
  await page.getByText("1 rows copied").waitFor();
  const [head, line] = (await page.evaluate(() => navigator.clipboard.readText()))
    .split("\n");
  const row = jsonOf(traces).kernels.find(({ name }) => name.includes("sgemm"));
  assert.equal(head, "kernel,class,count,gpu_ns,mean_ns,share");
  assert.equal(line, [`"${row.name}"`, row.class, row.count, row.gpu_ns,
    row.mean_ns, row.share].join(","));
  await close();
});

test("a kernel of the timeline names the call that launched it", async () => {
  const { page, close } = await open(pageOf([traceFile()]));
  const canvas = page.locator("canvas.timeline");
  const { width } = await canvas.boundingBox();
  await canvas.click({ position: { x: 150 + (width - 150) * 0.6, y: 24 + 26 + 14 } });
  const chosen = await page.locator(".chosen").textContent();
  assert.match(chosen, /launched by cuda(LaunchKernel|MemcpyAsync)/);
  await canvas.focus();
  await page.keyboard.press("w");
  await page.keyboard.press("d");
  await close();
});

test("the strip says which step is slow and why one is left out", async () => {
  const { page, close } = await open(pageOf([traceFile()], "--warmup", "1"));
  const canvas = page.locator("canvas.strip");
  await canvas.focus();
  await page.keyboard.press("]");
  assert.match(await page.locator(".tip").textContent(), /step 0.*left out: warm up/);
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  const slow = await page.locator(".tip").textContent();
  assert.match(slow, /^step 2: 0\.\d+ ms/);
  assert.match(slow, /GEMM 0\.24 ms/);
  await close();
});

// Over the columns of two steps of a strip of `count`.
async function dragOver(page, first, last, count) {
  const canvas = page.locator("canvas.strip");
  await canvas.scrollIntoViewIfNeeded();
  const { x, y, width } = await canvas.boundingBox();
  const at = (step) => x + 56 + ((step + 0.5) / count) * (width - 56);
  await page.mouse.move(at(first), y + 60);
  await page.mouse.down();
  await page.mouse.move(at((first + last) / 2), y + 60);
  await page.mouse.move(at(last), y + 60);
  await page.mouse.up();
}

// What of the page is about some steps, against the report of them.
async function checkNarrow(page, report) {
  for (const [name, row] of [...report.classes.map((row) => [row.class, row]),
    ["total", report.program.total]]) {
    const shown = await cells(page, name);
    assert.deepEqual(shown, [ms(row.step_mean.gpu_ns), percent(row.share),
      ms(row.step_mean.forward_ns), ms(row.step_mean.backward_ns),
      ms(row.step_mean.update_ns)], name);
  }
  const figures = await page.locator("#verdict .value").allTextContents();
  assert.deepEqual(figures, [`${ms(report.steps.mean_ns)} ms`,
    `${percent(report.program.utilization)} %`,
    `${ms(report.program.step_mean.idle_ns)} ms`]);
  const parts = new Map();
  for (const part of report.program.step_mean.parts) {
    const name = part.class ?? part.cause ?? "";
    parts.set(name, (parts.get(name) ?? 0) + part.ns);
  }
  const shown = await page.locator("#step details tbody td:last-child")
    .allTextContents();
  assert.deepEqual(shown.sort(), [...parts.values()].map(ms).sort());
}

test("dragging over the strip makes the page that of --steps", async () => {
  const traces = [traceFile({ steps: 8, uneven: true })];
  const { page, faults, close } = await open(pageOf(traces));
  await dragOver(page, 2, 4, 8);
  assert.match(await page.locator(".narrowbar").textContent(),
    /^steps 2 to 4.*these 3 used steps.*--steps 2\.\.4 /);
  const report = jsonOf(traces, "--steps", "2..4");
  assert.equal(report.steps.used_count, 3);
  assert.notEqual(ms(report.steps.mean_ns), ms(jsonOf(traces).steps.mean_ns));
  await checkNarrow(page, report);
  await page.getByText("all steps", { exact: true }).click();
  assert.equal(await page.locator(".narrowbar").count(), 0);
  await checkClasses(page, jsonOf(traces));
  assert.deepEqual(faults, []);
  await close();
});

test("steps are chosen by keyboard alone, and given up", async () => {
  const traces = [traceFile({ steps: 8, uneven: true })];
  const { page, close } = await open(pageOf(traces));
  await page.locator("canvas.strip").focus();
  for (const key of ["ArrowRight", "ArrowRight", "Shift+ArrowRight"]) {
    await page.keyboard.press(key);
  }
  await checkNarrow(page, jsonOf(traces, "--steps", "1..2"));
  await page.keyboard.press("Enter");
  await checkNarrow(page, jsonOf(traces, "--steps", "2..2"));
  await page.keyboard.press("Escape");
  await checkClasses(page, jsonOf(traces));
  await close();
});

test("steps that are left out are none to be shown alone", async () => {
  const { page, close } = await open(pageOf([traceFile()], "--warmup", "2"));
  await dragOver(page, 0, 1, 6);
  assert.match(await page.locator(".narrowbar").textContent(), /none of them is used/);
  await close();
});

test("a long gap leads to its place in a timeline", async () => {
  const html = pageOf([traceFile({ steps: 12, uneven: true })]);
  const { device, gaps } = (({ pictures }) => ({ device: pictures.devices[0],
    gaps: pictures.devices[0].gaps }))(heldIn(html));
  assert.ok(gaps.slice(0, 8).every((gap) => gap.timeline !== null));
  assert.ok(device.timelines.some(({ which }) => which === "gap"));
  const { page, faults, close } = await open(html);
  const links = page.locator("#idle button.link");
  assert.equal(await links.count(), 8);
  for (let i = 0; i < 8; i++) {
    const length = await links.nth(i).textContent();
    await links.nth(i).click();
    const chosen = await page.locator("#timeline .chosen").textContent();
    assert.ok(chosen.includes(length), `${chosen}: ${length}`);
    assert.equal(await page.evaluate(() => document.activeElement.className),
      "timeline");
  }
  assert.deepEqual(faults, []);
  await close();
});

test("a trace without steps has a page about the run", async () => {
  const { page, faults, close } =
    await open(pageOf([traceFile({ steps: 2, marked: false })]));
  assert.match(await page.locator("#verdict").textContent(), /no steps found/);
  assert.equal(await page.locator("canvas.strip").count(), 0);
  assert.equal(await page.locator("canvas.timeline").count(), 1);
  assert.doesNotMatch(await page.locator("body").innerText(), /used steps/);
  assert.deepEqual(faults, []);
  await close();
});

test("several ranks stand side by side", async () => {
  const traces = [0, 1].map((rank) => traceFile({ rank, ranks: 2 }));
  const report = jsonOf(traces);
  const { page, faults, close } = await open(pageOf(traces));
  const rows = await page.locator("#ranks tbody tr").allTextContents();
  assert.equal(rows.length, report.devices.length);
  report.devices.forEach((device, i) =>
    assert.ok(rows[i].includes(ms(device.compute_ns)), rows[i]));
  await page.locator(".device select").selectOption("1");
  assert.equal(await page.locator("canvas.timeline").count(), 1);
  await checkClasses(page, report);
  assert.deepEqual(faults, []);
  await close();
});

test("ranks by steps: a cell says its step, and chooses it for every rank", async () => {
  const traces = [0, 1, 2].map((rank) =>
    traceFile({ rank, ranks: 3, uneven: true, slow: 2 + rank }));
  const html = pageOf(traces);
  const { devices } = heldIn(html).pictures;
  const { page, faults, close } = await open(html);
  const map = page.locator("canvas.rankmap");
  await map.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  const second = devices[1].strip;
  assert.match(await page.locator(".tip").textContent(),
    new RegExp(`^rank 1 · GPU 0, step 1.*: ${ms(second.ns[1])} ms`));
  await page.keyboard.press("Enter");
  await checkNarrow(page, jsonOf(traces, "--steps", "1..1"));
  await page.getByRole("button", { name: "idle", exact: true }).click();
  await map.focus();
  await page.keyboard.press("ArrowUp");
  const idle_ns = Object.values(devices[0].strip.idle)
    .reduce((sum, ns) => sum + ns[1], 0);
  assert.match(await page.locator(".tip").textContent(),
    new RegExp(`^rank 0.*idle: ${ms(idle_ns)} ms`));
  assert.deepEqual(faults, []);
  await close();
});

test("a trace of calls alone says that no GPU work lies in it", async () => {
  const path = fresh(".json");
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, traceEvents: [
    { ph: "X", cat: "cuda_runtime", name: "cudaMalloc", ts: 1, dur: 2, pid: 1,
      tid: 1, args: { correlation: 1 } }] }));
  const { page, faults, close } = await open(pageOf([path]));
  assert.match(await page.locator("#verdict").textContent(), /No GPU work/);
  assert.match(await page.locator("#apis tbody").textContent(), /cudaMalloc/);
  assert.deepEqual(faults, []);
  await close();
});

test("advice says what to do, what it brings and why, and j goes to it", async () => {
  const html = pageOf([traceFile()]);
  const { report } = heldIn(html);
  report.advice = [{ id: "pageable", text: "pin_memory=True: -9 % to -12 % step",
    act: "pin_memory=True", why: EVIL, class: "copy_h2d", phase: "h2d",
    gain_low_ns: 9, gain_high_ns: 12 }];
  const { page, faults, close } = await open(changedPage(html, report));
  await page.keyboard.press("j");
  const line = await page.evaluate(() => document.activeElement.innerText);
  assert.match(line, /pin_memory=True\s+-9 % to -12 % step\s+COPY H2D h2d/);
  assert.ok(line.includes(EVIL));
  assert.deepEqual(faults, []);
  await close();
});

test("where the host was while the GPU was idle stands as --json has it", async () => {
  const html = pageOf([traceFile()]);
  const { report } = heldIn(html);
  const row = (state, name, looks, step_ns) =>
    ({ state, name, looks, of_looks: 40, step_ns });
  report.program.seen_in = [row("wait", "train.py:9 main", 3, 75e3),
    row("input", EVIL, 12, 4.5e6), row("input", "data.py:2 read", 1, 375e3)];
  report.program.unknown_in = [
    { class: "conv", name: "aten::to", ns: 10, step_ns: 2e6 },
    { class: null, name: "next", ns: 20, step_ns: 4e6 }];
  const { page, faults, close } = await open(changedPage(html, report));
  const shown = await page.locator("#places tbody tr").evaluateAll((rows) =>
    rows.map((each) => [...each.cells].map((cell) => cell.textContent)));
  assert.deepEqual(shown, [
    [EVIL, "4.50", "input", "12 of 40"],
    ["data.py:2 read", "0.38", "input", "1 of 40"],
    ["train.py:9 main", "0.08", "in a wait", "3 of 40"],
    ["next", "4.00", "unknown, between steps", ""],
    ["aten::to", "2.00", "unknown, before CONV", ""]]);
  assert.deepEqual(faults, []);
  await close();
});

test("where nothing tells where the host was, nothing is said of it", async () => {
  const html = pageOf([traceFile()]);
  const { report } = heldIn(html);
  report.program.seen_in = report.program.unknown_in = [];
  const { page, close } = await open(changedPage(html, report));
  assert.equal(await page.locator("#places").count(), 0);
  await close();
});

test("view prints where the page is, and opens it only where there is a display", () => {
  const bin = mkdtempSync(join(folder, "bin-"));
  const opened = join(bin, "opened");
  writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\nprintf %s "$1" >'${opened}'\n`,
    { mode: 0o755 });
  const view = (display) => {
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, TMPDIR: bin };
    delete env.WAYLAND_DISPLAY;
    env.DISPLAY = display;
    return execFileSync(dltap, ["view", traceFile()],
      { env, stdio: ["ignore", "pipe", "pipe"] }).toString().trim();
  };
  const page = view("");
  assert.match(readFileSync(page, "utf8"), /^<!doctype html>/);
  assert.equal(statSync(dirname(page)).mode & 0o777, 0o700);
  assert.throws(() => accessSync(opened));
  assert.equal(view(":9"), readFileSync(opened, "utf8"));
});

test("view speaks of itself where its options are wrong", () => {
  const done = spawnSync(dltap, ["view", "--no-open", "--rank", "99", traceFile()]);
  assert.equal(done.status, 2);
  assert.match(done.stderr.toString(), /^dltap: view: --rank: the trace has no rank 99\n$/);
});

test("the page leaves the list of layers out, and nothing else of --json", async () => {
  const traces = [traceFile()];
  const html = readFileSync(pageOf(traces), "utf8");
  const [, packed] = html.match(/id="report">([^<]*)</);
  const held = JSON.parse(gunzipSync(Buffer.from(packed, "base64")).toString());
  const { layers, layer_groups, ...rest } = jsonOf(traces);
  assert.ok(layers.length > 0 && layer_groups.length > 0);
  assert.deepEqual(held, rest);
});

test("a file that is no page is not overwritten, a page is", () => {
  const trace = traceFile();
  const other = fresh(".txt");
  writeFileSync(other, "mine");
  const refused = spawnSync(dltap, ["report", trace, "--html", other]);
  assert.equal(refused.status, 3);
  assert.match(refused.stderr.toString(), /is no page of dltap's/);
  assert.equal(readFileSync(other, "utf8"), "mine");
  const html = pageOf([trace]);
  const again = spawnSync(dltap, ["report", trace, "--html", html]);
  assert.equal(again.status, 0);
  assert.ok(statSync(html).size > 10000);
});
