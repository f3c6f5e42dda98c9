// What both sides have printed up to this step, the differing characters marked. Only the newest part of a long output is here.

import { difference } from "./difference.js";
import { el, fill, visible } from "./dom.js";

/** The panel. */
export function outputPanel() {
  const boxes = { left: el("pre", { tabIndex: 0 }), right: el("pre", { tabIndex: 0 }) };
  const heads = { left: el("h3", { id: "output-left" }), right: el("h3", { id: "output-right" }) };
  const part = (side) => el("div", {}, heads[side], boxes[side]);
  boxes.left.setAttribute("aria-labelledby", "output-left");
  boxes.right.setAttribute("aria-labelledby", "output-right");
  const silence = el("span", { class: "soft" }, "nothing printed yet");
  const both = el("div", { class: "body pair" }, part("left"), part("right"));
  const element = el("section", { class: "panel output-panel", "aria-labelledby": "output-title" },
    el("header", {}, el("h2", { id: "output-title" }, "Output"), silence), both);

  function render({ left, right, sides }) {
    const pieces = difference(left.output, right.output);
    ["left", "right"].forEach((side, at) => {
      fill(heads[side], sides[side]);
      const text = pieces[at].map(([piece, differs]) => (differs ? el("mark", {}, visible(piece)) : visible(piece)));
      fill(boxes[side], text.length ? text : el("span", { class: "soft" }, "nothing printed"));
      boxes[side].scrollTop = boxes[side].scrollHeight;
    });
    both.hidden = !left.output && !right.output;
    silence.hidden = !both.hidden;
    element.classList.toggle("silent", both.hidden);
  }

  return { element, render };
}
