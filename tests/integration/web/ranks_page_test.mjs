// SPDX-License-Identifier: Apache-2.0
// ranks_page_test.mjs DLTAP TOOLS PYTHON MAKE: opens pages of `dltap report
// DATASET --html` in Chromium. Exits with 77 where there is none, or no DuckDB.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { digits, launched, needChromium, openIn } from "./page.mjs";

const [dltap, tools, python, make] = process.argv.slice(2);
needChromium();

const EVIL = "<img src onerror>";
const folder = mkdtempSync(join(tmpdir(), "dltap-ranks-"));
const dataset = (name, ...words) => {
  const path = join(folder, name);
  execFileSync(python, ["-B", make, path, ...words], { stdio: "pipe" });
  return path;
};
const SLOW = dataset("slow", "tensor=2", "pipeline=2", "data=4",
  "fault=slow_gpu:5:6:1.4", `run=${EVIL}`);
const first = spawnSync(dltap, ["report", SLOW, "--json"]);
if (first.status === 5) {
  console.log(`skipped: ${first.stderr}`);
  process.exit(77);
}
const report = JSON.parse(first.stdout.toString());

let browser;
let axe;
before(async () => ({ browser, axe } = await launched(tools)));
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

function pageOf(path) {
  const html = `${path}.html`;
  execFileSync(dltap, ["report", path, "--html", html], { stdio: "pipe" });
  return html;
}

const open = (html, options) => openIn(browser, html, options);

const cells = (page, id) => page.locator(`#${id} tbody tr`).evaluateAll((rows) =>
  rows.map((row) => [...row.children].map((cell) => cell.textContent)));

test("it opens from a file, asks for nothing, complains of nothing", async () => {
  const html = pageOf(SLOW);
  const { page, faults, requests, close } = await open(html);
  assert.deepEqual(requests, [`file://${html}`]);
  assert.deepEqual(faults, []);
  for (const id of ["verdict", "heatmap", "worst", "steps", "classes",
    "collectives", "groups"]) {
    assert.equal(await page.locator(`#${id}`).count(), 1, id);
  }
  await close();
});

test("the verdict is that of --json, a hostile name stays text", async () => {
  const { page, faults, close } = await open(pageOf(SLOW));
  assert.match(report.verdict[0], /^Rank 5 makes collectives of the 15 other ranks wait/);
  const verdict = await page.locator("#verdict").textContent();
  for (const text of [...report.verdict, ...report.warnings]) {
    assert.ok(verdict.includes(text), text);
  }
  assert.ok((await page.locator("header").textContent()).includes(EVIL));
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.evaluate(() => window.__ran), undefined);
  assert.deepEqual(faults, []);
  await close();
});

test("the tables have the numbers of --json", async () => {
  const { page, close } = await open(pageOf(SLOW));
  const { classes, sizes, overview: [overview] } = report.answers;
  const shown = await cells(page, "classes");
  assert.equal(shown.length, classes.length);
  classes.forEach((row, i) => assert.deepEqual(shown[i].slice(3, 6), [
    digits(row.mean_ms, 2), digits(row.least_ms, 2), digits(row.most_ms, 2)]));
  const collectives = await cells(page, "collectives");
  sizes.forEach((row, i) => assert.deepEqual(collectives[i].slice(5), [
    digits(row.mean_wait_us, 1), digits(row.transfer_us, 1),
    digits(row.wait_share * 100, 1), digits(row.bus_gb_per_s, 1),
    row.share_of_link === null ? "?" : digits(row.share_of_link * 100, 1)]));
  const worst = await cells(page, "worst");
  assert.equal(worst.length, 5);
  assert.deepEqual(worst[0].filter((_, i) => i !== 1), ["5", "gpu", "6",
    digits(report.worst[0].blame_ms_per_step, 2),
    digits(report.worst[0].ms_per_step, 2),
    digits(report.worst[0].slower_by * 100, 1), "late, stragglers, cause"]);
  assert.ok((await page.locator("#verdict .figures").textContent())
    .startsWith(`${digits(overview.mean_ms, 2)} ms`));
  await close();
});

test("the map's tip has the cell's numbers, by pointer and by keyboard", async () => {
  const { page, close } = await open(pageOf(SLOW),
    { viewport: { width: 1200, height: 900 } });
  const { columns, rows } = report.heatmap;
  const at = (name) => columns.indexOf(name);
  const linesOf = (rank, step) => {
    const row = rows.find((each) =>
      each[at("rank")] === rank && each[at("step")] === step);
    return ["wait_ms", "transfer_ms", "compute_ms", "idle_ms", "step_ms"]
      .map((name) => `${digits(row[at(name)], 2)} ms`);
  };
  const check = async (rank, step) => {
    const lines = await page.locator(".tip div").allTextContents();
    assert.equal(lines[0], `rank ${rank}, step ${step}`);
    assert.deepEqual(lines.slice(1).map((line) => line.split(": ")[1]),
      linesOf(rank, step));
  };
  const canvas = page.locator("canvas.rankmap");
  await canvas.scrollIntoViewIfNeeded();
  const { width } = await canvas.boundingBox();
  await canvas.hover({ position: {
    x: 110 + (width - 110) * (7.5 / 12), y: 5.5 * 22 } });
  await check(5, 7);
  await page.getByRole("button", { name: "computes" }).click();
  await canvas.focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) {
    await page.keyboard.press(key);
  }
  await check(1, 1);
  await close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing serious, ${colorScheme}`, async () => {
    const { page, close } = await open(pageOf(SLOW), { colorScheme });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    const serious = violations
      .filter(({ impact }) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
    assert.deepEqual(serious, []);
    await close();
  });
}

test("narrow windows do not scroll sideways", async () => {
  const { page, close } = await open(pageOf(SLOW),
    { viewport: { width: 360, height: 740 } });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  await close();
});

test("many steps share columns, and the page says so and stays small", async () => {
  const many = dataset("many", "tensor=1", "pipeline=1", "data=2",
    "micro_batches=1", "layers=1", "steps=2100");
  const html = pageOf(many);
  assert.ok(statSync(html).size < 2_000_000);
  const { page, close } = await open(html);
  assert.match(await page.locator("#heatmap .note").first().textContent(),
    /a column is the mean of 2 steps/);
  await close();
});
