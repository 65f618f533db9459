// SPDX-License-Identifier: Apache-2.0
// build_page.mjs TOOLS OUT: bundles src/ into one page without a request.
// TOOLS is the folder of package.json and node_modules. Scripts and styles
// stand in the page; its Content-Security-Policy names their hashes and allows
// nothing else.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [tools, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const { build } = createRequire(join(tools, "package.json"))("esbuild");

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    charset: "ascii",
    format: "iife",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    nodePaths: [join(tools, "node_modules")],
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = await bundle("main.tsx");
const style = await bundle("style.css");
if (/<\/?script|<!--/i.test(script)) {
  throw new Error("the bundle holds text that would end its own script");
}
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

// Functions, since "$&" in a bundle means nothing special.
const page = readFileSync(join(here, "src", "page.html"), "utf8")
  .replace("{{policy}}", () => policy)
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script);
writeFileSync(out, page);
