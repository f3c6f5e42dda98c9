// Where one is in a sample: run, sample, branch, sides, row; out of an address and back into one. Pure.

/** The place of a route. What is not said is the root branch, truth beside found, and the row `null`: the view chooses. */
export function placeOf({ path, params }) {
  return {
    run: path[1], at: path[3],
    branch: number(params.get("branch")) ?? 0,
    left: params.get("left") || "truth",
    right: params.get("right") || "found",
    other: params.get("other") || null,
    row: number(params.get("row")),
  };
}

/** The address of a place; what is as usual is left out. */
export function addressOf({ run, at, branch, left, right, other, row }) {
  const params = new URLSearchParams();
  if (row !== null) params.set("row", String(row));
  if (branch) params.set("branch", String(branch));
  if (left !== "truth") params.set("left", left);
  if (right !== "found") params.set("right", right);
  if (other !== null) params.set("other", other);
  const said = params.toString();
  return `#/run/${encodeURIComponent(run)}/sample/${encodeURIComponent(at)}${said ? `?${said}` : ""}`;
}

/** Whether every sample has such a place: its run and what its model found. */
export function isUsual({ branch, left, right }) {
  return branch === 0 && left === "truth" && right === "found";
}

function number(text) {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
