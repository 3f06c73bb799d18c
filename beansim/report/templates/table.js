"use strict";
// Tables sort by a click on a heading and filter by text. Without this script they are plain tables.
(() => {
  const order = (row, column) => {
    const cell = row.cells[column];
    const value = cell.dataset.order;
    const number = Number(value.replace(/inf$/, "Infinity"));
    return value === "" || Number.isNaN(number) ? value : number;
  };
  const compare = (left, right) =>
    typeof left === "number" && typeof right === "number" ? left - right : String(left).localeCompare(String(right));

  const sort = (table, heading) => {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    const column = heading.cellIndex;
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(order(a, column), order(b, column)) * (descending ? -1 : 1));
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.append(...rows);
  };

  const filterOf = (table, holder) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const found = document.createElement("output");
    label.className = "filter";
    input.type = "search";
    input.placeholder = "part of a row";
    label.append("Filter rows ", input, found);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      const rows = [...table.tBodies[0].rows];
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      const left = rows.filter((row) => !row.hidden).length;
      found.textContent = wanted ? `${left} of ${rows.length}` : "";
    });
    holder.before(label);
  };

  for (const block of document.querySelectorAll(".table")) {
    const table = block.querySelector("table");
    for (const heading of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading));
    }
    if (Number(block.dataset.rows) > 6) filterOf(table, block.querySelector(".scroll"));
  }
})();
