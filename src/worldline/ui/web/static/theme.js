// Light and dark: the system's setting, or the user's choice, which is stored in this browser. look.css has the colours.

const KEPT = "worldline-theme";

/** The theme that is seen now: "light" or "dark". */
export function theme() {
  return document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

/** Applies the stored choice, and calls `changed` whenever the theme changes. */
export function startTheme(changed) {
  const stored = read();
  if (stored === "light" || stored === "dark") document.documentElement.dataset.theme = stored;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

/** The other theme from now on. */
export function toggleTheme(changed) {
  const next = theme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem(KEPT, next);
  } catch {
    // Storage may be forbidden (a bundle opened as a file): the choice then lasts as long as the page.
  }
  changed();
}

function read() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}
