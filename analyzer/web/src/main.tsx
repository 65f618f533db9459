// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";

import { App } from "./app";
import type { Pictures, Report } from "./data";
import { readData } from "./inflate";
import type { RanksReport } from "./many_data";
import { ManyRanks } from "./many_ranks";

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (root === null) return;
  try {
    const report = await readData<Report | RanksReport>("report");
    if ("answers" in report) {
      root.replaceChildren();
      render(<ManyRanks report={report} />, root);
      document.body.dataset.ready = "yes";
      return;
    }
    const pictures = await readData<Pictures>("pictures");
    root.replaceChildren();
    render(<App report={report} pictures={pictures} />, root);
    document.body.dataset.ready = "yes";
  } catch (error) {
    const line = document.createElement("p");
    line.textContent = `This page cannot be shown: ${String(error)}. ` +
      "It needs a browser of 2023 or newer; dltap report prints the same numbers.";
    root.replaceChildren(line);
  }
}

void start();
