// SPDX-License-Identifier: Apache-2.0
// Pages of `dltap report --html` in Chromium.
import { accessSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const CHROMIUM = "/usr/bin/chromium";

// Without one the test is skipped.
export function needChromium() {
  try {
    accessSync(CHROMIUM);
  } catch {
    console.log(`skipped: no ${CHROMIUM}; scripts/setup.sh --browser installs it`);
    process.exit(77);
  }
}

// Of the folder of packages: a browser, and the text of axe.
export async function launched(tools) {
  const require = createRequire(join(tools, "package.json"));
  const browser = await require("playwright-core").chromium.launch({
    executablePath: CHROMIUM, args: [
      "--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
  const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  return { browser, axe };
}

// The page, and what it asked for or complained of.
export async function openIn(browser, html, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults = [];
  const requests = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`file://${html}`);
  await page.waitForSelector("body[data-ready]");
  return { page, faults, requests, close: () => context.close() };
}

export const digits = (value, count) => value === null ? "?"
  : value.toLocaleString("en-US",
    { minimumFractionDigits: count, maximumFractionDigits: count });
