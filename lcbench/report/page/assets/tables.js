// Tables that sort, search and download as CSV: DataTables does it, on every table of a page.
const TOOLS = { topStart: "search", topEnd: "buttons", bottomStart: null, bottomEnd: null };
const WORDS = {
  search: "Search ", zeroRecords: "No row has this text.", emptyTable: "There are no rows.", lengthMenu: "_MENU_ in a page",
  info: "_START_ to _END_ of _TOTAL_", infoEmpty: "none", infoFiltered: "(_MAX_ in all)",
};

function interactive(table, options = {}) {
  const name = table.getAttribute("aria-label");
  if (table.parentElement.matches(".scroll")) table.parentElement.replaceWith(table);
  const made = new DataTable(table, {
    paging: false, order: [], autoWidth: false, layout: TOOLS, language: WORDS,
    buttons: [{ extend: "csv", text: "CSV", titleAttr: `Download as CSV: ${name}`, filename: fileName(name), title: null, footer: false, bom: true }],
    ...options,
  });
  const box = table.closest(".dt-layout-table");
  box.classList.add("scroll");
  for (const [key, value] of Object.entries({ tabindex: 0, role: "region", "aria-label": name })) box.setAttribute(key, value);
  made.table().container().querySelector(".dt-search input").setAttribute("aria-label", `Search: ${name}`);
  return made;
}

const fileName = (title) => title.replace(/[^\p{L}\p{N}.=-]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80) || "table";

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// A table of texts; a cell is a text, or [text, number to sort by, class].
function makeTable(label, head, rows) {
  const table = document.createElement("table");
  table.setAttribute("aria-label", label);
  const top = table.createTHead().insertRow();
  for (const name of head) top.append(makeCell("th", "col", name));
  const body = table.createTBody();
  for (const row of rows) body.insertRow().append(...row.map((cell, i) => makeCell(i ? "td" : "th", "row", cell)));
  return table;
}

function makeCell(tag, scope, cell) {
  const [text, order, kind] = Array.isArray(cell) ? cell : [cell];
  const made = element(tag, { textContent: text, className: kind ?? "" });
  if (tag === "th") made.scope = scope;
  if (order !== undefined && order !== null) made.dataset.order = order;
  return made;
}

// Show a table that was made here in place of what is in a box.
function showTable(box, table, options) {
  box.replaceChildren(table);
  interactive(table, options);
}

document.documentElement.classList.add("scripted");  // keeps room for what comes above the tables
for (const table of document.querySelectorAll("main table:not([id])")) whenNear(table, () => interactive(table));
