// The page's frame: header, routes, help, theme, focus and announcements. It shows one view at a time. Routes are in the hash: `#/`, `#/run/0?...`, `#/run/0/sample/17?...`, `#/run/live/view/0?step=12`. With `?embed` before the hash there is no header.
//
// A view is `show(root, route, context) -> {dispose(), update?(route)}`; `update` is for the same path with other parameters.

import { api } from "./api.js";
import { el, fill } from "./dom.js";
import { icon } from "./icons.js";
import * as keys from "./keys.js";
import { show as overview } from "./overview.js";
import { show as quiz } from "./quiz.js";
import { show as runs } from "./runs.js";
import { show as run } from "./run_view.js";
import { show as sample } from "./sample.js";
import { startTheme, theme, toggleTheme } from "./theme.js";

const main = document.getElementById("main");
const live = document.getElementById("live");
const crumbs = el("nav", { class: "crumbs", "aria-label": "Where you are" });
const themeButton = el("button", { type: "button", class: "quiet", on: { click: otherTheme } });
let shown = null;
let turn = 0;

/** The route of a hash: its path as a list, and its parameters. */
function routeOf(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decode), params: new URLSearchParams(query) };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function viewOf(path) {
  if (path.length === 0) return runs;
  if (path[0] === "run" && path.length === 2) return overview;
  if (path[0] === "run" && path[2] === "sample" && path.length === 4) return sample;
  if (path[0] === "quiz" && /^[0-9]+$/.test(path[1] ?? "") && path.length <= 3) return quiz;
  if (path[0] === "run" && path[2] === "view" && path.length === 4) return run;
  return null;
}

// The views of a quiz differ in the question alone.
function pathOf({ path }) {
  return (path[0] === "quiz" ? path.slice(0, 2) : path).join("/");
}

// Use the address of the event: the previous view may have changed `location` since.
async function follow(event) {
  const hash = event ? new URL(event.newURL).hash : location.hash;
  if (hash.startsWith("#token=")) return void location.reload(); // a newly printed address in an open tab
  const route = await placed(routeOf(hash), hash);
  const path = pathOf(route);
  if (shown) shown.hash = hash;
  if (shown?.path === path && shown.view?.update) return void shown.view.update(route);
  turn += 1;
  const mine = turn;
  leave();
  shown = { path, hash, taken: [], view: null };
  const root = el("div", { class: "view" }, el("p", { class: "opening soft" }, "opening …"));
  fill(main, root);
  setCrumbs([]);
  const view = await opened(root, route, contextOf(shown));
  if (mine !== turn) return void view?.dispose?.();
  shown.view = view;
}

// A bundle of one program opens at its run; `#?step=12` is a step of it. `#/` is the list of runs, as everywhere.
async function placed(route, hash) {
  if (!/^#?(\?|$)/.test(hash) || !api.isBundle()) return route;
  const { runs: listed } = await api.runs();
  const isSingle = listed.length === 1 && listed[0].live && listed[0].samples === 1;
  return isSingle ? { ...route, path: ["run", listed[0].id, "view", "0"] } : route;
}

async function opened(root, route, context) {
  const show = viewOf(route.path);
  try {
    if (!show) throw new Error("There is no such page.");
    return await show(root, route, context);
  } catch (error) {
    const home = el("a", { href: "#/" }, "All runs");
    fill(root, el("div", { class: "refusal", role: "alert" }, el("h1", {}, "This cannot be shown"), el("p", {}, error.message), el("p", {}, home)));
    if (!error.slug) console.error(error);
    return null;
  }
}

function leave() {
  shown?.view?.dispose?.();
  for (const take of shown?.taken ?? []) take();
}

/** What the frame offers to a view. */
function contextOf(mine) {
  return {
    api,
    announce,
    /** Registers keys until the view is left: [{key, also?, label, act}]. */
    keys: (heading, list) => mine.taken.push(keys.register(heading, list)),
    /** Goes to a hash, as a link would. */
    go: (hash) => (location.hash = hash),
    /** Sets the address of what is shown; `push` adds it to the history. Ignored once another view is opening. */
    address: (hash, { push = false } = {}) => {
      if (mine !== shown || location.hash !== mine.hash) return;
      if (push) history.pushState({ jumps: jumps() + 1 }, "", hash);
      else history.replaceState(history.state, "", hash);
      mine.hash = location.hash;
    },
    /** How many addresses this page has pushed: whether `back` stays on it. */
    jumps,
    /** Sets the breadcrumbs: [{label, href?}], the last one being this view. */
    crumbs: (list) => mine === shown && setCrumbs(list),
  };
}

function jumps() {
  return history.state?.jumps ?? 0;
}

/** Announces a text to screen readers. */
function announce(text) {
  live.textContent = text;
}

function setCrumbs(list) {
  const items = list.map(({ label, href }, at) =>
    el("li", {}, href && at < list.length - 1 ? el("a", { href }, label) : el("span", { "aria-current": "page" }, label)));
  fill(crumbs, el("ol", {}, items));
  document.title = ["worldline", ...list.map((crumb) => crumb.label)].reverse().join(" · ").slice(0, 200);
}

function otherTheme() {
  toggleTheme(themeChanged);
  announce(`${theme()} theme`);
}

function themeChanged() {
  const dark = theme() === "dark";
  fill(themeButton, icon(dark ? "sun" : "moon"));
  themeButton.setAttribute("aria-label", dark ? "Use the light theme" : "Use the dark theme");
  themeButton.title = `${themeButton.getAttribute("aria-label")} (t)`;
  document.dispatchEvent(new Event("themechange"));
}

function start() {
  const helpButton = el("button", { type: "button", class: "quiet", title: "Keys (?)", "aria-label": "Show the keys", on: { click: keys.help } }, "?");
  fill(document.getElementById("top"), el("a", { class: "brand", href: "#/" }, "worldline"), crumbs, helpButton, themeButton);
  keys.register("Everywhere", [
    { key: "?", label: "show these keys", act: keys.help },
    { key: "t", label: "light or dark", act: otherTheme },
    { key: "h", label: "all runs", act: () => (location.hash = "#/") },
    { key: "Escape", label: "leave a field, so that keys work again", act: () => document.activeElement?.blur() },
  ]);
  document.documentElement.classList.toggle("embed", new URLSearchParams(location.search).has("embed"));
  startTheme(themeChanged);
  themeChanged();
  keys.listen();
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // The hash is the route's.
    main.focus();
  });
  addEventListener("hashchange", follow);
  follow();
}

start();
