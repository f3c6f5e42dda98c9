"use strict";
// Sorts the rows by the column whose head is pressed, and the other way round if it is pressed again. Rows with equal
// figures keep the order that the page was written in; rows without a figure there stay last either way.
const body = document.querySelector("table.board tbody");
const heads = [...document.querySelectorAll("table.board thead tr:last-child th")];
const rows = [...body.rows];

function valueOf(row, column) {
  const cell = row.cells[column];
  if (column === 0) return cell.textContent.toLowerCase();
  return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
}

function sortBy(column) {
  const isDescending = heads[column].ariaSort ? heads[column].ariaSort === "ascending" : column > 0;
  const sign = isDescending ? -1 : 1;
  const known = rows.filter((row) => valueOf(row, column) !== null);
  const missing = rows.filter((row) => valueOf(row, column) === null);
  known.sort((first, second) => {
    const [a, b] = [valueOf(first, column), valueOf(second, column)];
    return a === b ? 0 : sign * (a < b ? -1 : 1);
  });
  body.append(...known, ...missing);
  heads.forEach((head, at) => (at === column ? (head.ariaSort = isDescending ? "descending" : "ascending") : (head.ariaSort = null)));
}

heads.forEach((head, column) => {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  button.addEventListener("click", () => sortBy(column));
  head.append(button);
});
