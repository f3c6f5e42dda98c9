// Rates as bars: one small table, each row a link that filters the samples to those it counts.
//
// A bar is the rate, the line through it Wilson's 95 % interval; a text says both.

import { count, el, percent } from "./dom.js";
import { changed, isChosen, overviewHref, toggled } from "./filters.js";

/** A share as a percentage; 0 % and 100 % without decimals. */
export function rate(share) {
  if (!share || !share.n) return "–";
  return share.some === 0 || share.some === share.n ? `${share.some ? 100 : 0} %` : percent(share.some / share.n);
}

/** An interval in words: "52.1 to 69.4 %". */
export function interval(share) {
  return `${(100 * share.low).toFixed(1)} to ${(100 * share.high).toFixed(1)} %`;
}

/** A share in words: "61 % of 120, 95 % interval 52.1 to 69.4 %". */
export function shareText(share) {
  if (!share || !share.n) return "none";
  return `${rate(share)} of ${count(share.n)}, 95 % interval ${interval(share)}`;
}

/** The bar of a share with its interval. Hidden from screen readers: the text beside it says the same. */
export function bar(share, kind = "") {
  const track = el("span", { class: `bar ${kind}`, "aria-hidden": "true" });
  if (!share || !share.n) return track;
  const filled = el("span", { class: "bar-rate" });
  const whisker = el("span", { class: "bar-interval" });
  filled.style.width = `${(100 * share.some) / share.n}%`;
  whisker.style.left = `${100 * share.low}%`;
  whisker.style.width = `${Math.max(0.5, 100 * (share.high - share.low))}%`;
  track.append(filled, whisker);
  return track;
}

/**
 * A table of buckets. `keys` are the filters of its kind; `measure(bucket)` returns the share to draw; `go(state)` is called
 * instead of following the link, so that only the samples change.
 */
export function barTable({ title, note, more, keys, buckets, measure, kind, state, run, go }) {
  const rows = buckets.map((bucket) => row(bucket, { keys, measure, kind, state, run, go }));
  return el("section", { class: "bars" },
    el("table", {},
      el("caption", {}, title, note ? el("span", { class: "bars-note" }, ` ${note}`) : null),
      el("colgroup", {}, ["bars-label", "bars-rate", "bars-n"].map((name) => el("col", { class: name }))),
      el("thead", { class: "unseen" }, el("tr", {},
        ...["value", "rate", "samples"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, rows)),
    more ? el("p", { class: "soft bars-more" }, `${count(more)} less frequent ones are not shown.`) : null);
}

function row(bucket, { keys, measure, kind, state, run, go }) {
  const share = measure(bucket);
  const chosen = isChosen(state, bucket.filter, keys);
  const next = changed(state, toggled(state, bucket.filter, keys));
  const words = `${bucket.label}: ${shareText(share)}${chosen ? "; selected, select again to clear" : ""}`;
  const link = el("a", { href: overviewHref(run, next), title: words, "aria-label": words, "aria-current": chosen ? "true" : null }, bucket.label);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    go(next, link);
  });
  return el("tr", { class: chosen ? "chosen" : "", data: { label: bucket.label } },
    el("th", { scope: "row" }, link),
    el("td", { class: "bars-rate" }, bar(share, kind), el("span", { class: "bars-figure" }, rate(share))),
    el("td", { class: "bars-n" }, count(bucket.n)));
}
