// Light and dark: the system's choice, until somebody chooses; the choice is kept in this browser. The colours are look.css's.

const KEPT = "worldline-theme";

/** The theme that is seen now: "light" or "dark". */
export function theme() {
  return document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

/** Puts the kept choice in place, and calls `changed` whenever what is seen changes. */
export function startTheme(changed) {
  const kept = read();
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
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
