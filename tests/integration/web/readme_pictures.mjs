// SPDX-License-Identifier: Apache-2.0
// readme_pictures.mjs DLTAP TOOLS: the README's pictures, of the trace that
// scripts/quickstart.sh has left: the page's begin, light and dark.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [dltap, tools] = process.argv.slice(2);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const { chromium } = createRequire(join(tools, "package.json"))("playwright-core");

const folder = mkdtempSync(join(tmpdir(), "dltap-pictures-"));
const html = join(folder, "page.html");
execFileSync(dltap, ["report", "--html", html,
  join(root, "build/quickstart/resnet50-h100-sxm")], { stdio: "inherit" });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"] });
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage(
    { colorScheme, viewport: { width: 1200, height: 940 } });
  await page.goto(`file://${html}`);
  await page.waitForSelector("body[data-ready]");
  await page.screenshot({ path: join(root, `docs/images/report_${colorScheme}.png`) });
}
await browser.close();
rmSync(folder, { recursive: true });
