// SPDX-License-Identifier: Apache-2.0
// Light or dark: as the system has it, unless the switch says otherwise.
import { useLayoutEffect, useState } from "preact/hooks";

export type Theme = "auto" | "light" | "dark";
const THEMES: Theme[] = ["auto", "light", "dark"];
const KEY = "dltap-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

// A page from a file may have no storage.
function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It lasts as long as the page, then.
  }
}

// What canvases draw with; the rest takes its colours from style.css.
export interface Ink {
  text: string;
  dim: string;
  line: string;
  panel: string;
  hatch: string;
  idle: string;
  accent: string;
}

const LIGHT: Ink = {
  text: "#1b2027", dim: "#5b6672", line: "#e3e7ec", panel: "#ffffff",
  hatch: "#a7b0ba", idle: "#f1f3f6", accent: "#2460c8",
};
const DARK: Ink = {
  text: "#e6e9ee", dim: "#9aa5b1", line: "#2a313a", panel: "#161a20",
  hatch: "#5d6773", idle: "#20262e", accent: "#7fb0ff",
};

export function useTheme(): { theme: Theme; ink: Ink; next: () => void } {
  const [theme, setTheme] = useState<Theme>(stored);
  const [dark, setDark] = useState(system.matches);
  useLayoutEffect(() => {
    const follow = () => setDark(system.matches);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
    keep(theme);
  }, [theme]);
  const is_dark = theme === "dark" || (theme === "auto" && dark);
  return {
    theme,
    ink: is_dark ? DARK : LIGHT,
    next: () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % 3] ?? "auto"),
  };
}

export function ThemeSwitch(props: { theme: Theme; next: () => void }) {
  return (
    <button class="quiet" onClick={props.next} aria-label={
      `colours: ${props.theme}; press for the next`}>
      {props.theme === "auto" ? "◐ auto" : props.theme === "light" ? "○ light" : "● dark"}
    </button>
  );
}
