// The place in a sample (run, sample, branch, sides, row), read from and written to an address.

/** The place of a route. By default the root branch, truth and found; a null row lets the view choose. */
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

/** The address of a place; defaults are left out. */
export function addressOf({ run, at, branch, left, right, other, row }) {
  const params = new URLSearchParams();
  if (row !== null) params.set("row", String(row));
  if (branch) params.set("branch", String(branch));
  if (left !== "truth") params.set("left", left);
  if (right !== "found") params.set("right", right);
  if (other !== null) params.set("other", other);
  const query = params.toString();
  return `#/run/${encodeURIComponent(run)}/sample/${encodeURIComponent(at)}${query ? `?${query}` : ""}`;
}

/** Whether every sample has such a place. */
export function isUsual({ branch, left, right }) {
  return branch === 0 && left === "truth" && right === "found";
}

function number(text) {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
