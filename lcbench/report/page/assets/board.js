// Filters of a board: in every table the rows of those methods stay that pass all of them.
const { entries, levels } = JSON.parse(document.getElementById("data").textContent);
const filters = [...document.querySelectorAll("[data-filter]")];
const boardTables = [...document.querySelectorAll("[data-board] table")];
const key = (board, name) => `${board} ${name}`;

const TESTS = {
  setting: (own, wanted) => own === wanted,
  level: (own, wanted) => levels.indexOf(own) >= levels.indexOf(wanted),
  seconds: (own, wanted) => own !== null && own <= Number(wanted),
  bytes: (own, wanted) => own !== null && own <= Number(wanted),
};

function filterRows() {
  const chosen = filters.filter(({ value }) => value);
  const passes = (entry) => chosen.every(({ dataset: { filter }, value }) => TESTS[filter](entry[filter], value));
  const shown = entries.filter(passes);
  const names = new Set(shown.map(({ board, name }) => key(board, name)));
  for (const table of boardTables) {
    start(table);  // also one that is still far away
    const { board } = table.closest("[data-board]").dataset;
    const made = new DataTable.Api(table);
    made.search.fixed("filters", (text, row, at) => names.has(key(board, made.row(at).node().cells[0].textContent))).draw();
  }
  document.querySelector("[data-role=shown]").textContent = `${shown.length} of ${entries.length} methods shown.`;
}

document.querySelector(".filters").hidden = false;
for (const filter of filters) filter.addEventListener("change", filterRows);
if (filters.some(({ value }) => value)) filterRows();  // a browser may keep a choice when a page is loaded again
