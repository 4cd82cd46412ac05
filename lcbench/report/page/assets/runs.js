// The list of runs; one that is ticked is shown below it, and two side by side.
const runs = data.runs;
const text = DataTable.render.text().display;
const listTable = document.getElementById("run-list");
const pane = control("run-pane");

function showRuns(chosen) {
  control("run-controls").hidden = !chosen.length;
  const titles = chosen.map((run) => run.title);
  const environments = factTable("Environment", titles, chosen.map((run) => runs.environments[run.environment]));
  pane.replaceChildren(...(chosen.length ? [
    element("h3", { textContent: titles.join(" beside ") }),
    element("div", { className: "beside" }, ...chosen.map(matrixOf)),
    element("div", {}, factTable("Facts", titles, chosen.map((run) => run.facts.concat(runs.setups[run.setup])))),
    element("details", { className: "folded" }, element("summary", { textContent: "Environment" }), environments),
  ] : []));
  for (const table of pane.querySelectorAll("table")) whenNear(table, () => interactive(table));
}

// Facts of runs in columns; what differs is marked.
function factTable(label, titles, facts) {
  const columns = facts.map((own) => new Map(own));
  const names = new Set(facts.flat().map(([name]) => name));
  return makeTable(label, ["fact", ...titles], [...names].map((name) => {
    const texts = columns.map((own) => own.get(name) ?? "–");
    return [name, ...texts.map((value) => [value, null, new Set(texts).size > 1 ? "differs" : ""])];
  }));
}

// R of a run, tasks in the order in which it learned them.
function matrixOf(run) {
  const [at, method, number] = run.curve ?? [];
  const stream = data.streams[at];
  const metric = stream?.metrics.findIndex(([key]) => key === control("run-metric").value) ?? -1;
  if (metric < 0) return element("p", { textContent: run.without || `${run.title}: not scored by this metric.` });
  const [key, , scale] = stream.metrics[metric];
  const title = `${run.title}: ${key}${scale === 100 ? " (%)" : ""} of each task after so many were learned`;
  const rows = matrix(stream, stream.methods[method].runs[number], metric).map((row, k) => [
    [stream.steps[k], stream.steps[k]],
    ...run.order.map((_, j) => [row[j]?.toFixed(scale === 100 ? 1 : 3) ?? "", row[j] ?? "", "number"]),
  ]);
  const table = makeTable(title, ["learned", ...run.order.map((task) => [task, null, "number"])], rows);
  return element("div", {}, element("h4", { textContent: title }), table);
}

// A cell is a text, or a pair of a text and the number to sort by.
function shownOrSorted(cell, type) {
  const [shown, order] = Array.isArray(cell) ? cell : [cell, cell];
  return type === "display" ? text(shown) : type === "filter" ? shown : order;
}

if (listTable) {
  let shown = [];  // numbers of at most two runs
  whenNear(listTable, () => interactive(listTable, {
    data: runs.rows, deferRender: true, paging: true, pageLength: 10, order: runs.order,
    layout: { ...TOOLS, bottomStart: ["info", "pageLength"], bottomEnd: "paging" },
    columns: runs.columns.map((_, i) => (i === 0
      ? { cellType: "th", createdCell: (cell) => { cell.scope = "row"; }, render: (id, type, row, { row: at }) => (type === "display" ? `<label><input type="checkbox" value="${at}"> ${text(id)}</label>` : id) }
      : { className: i >= runs.stub ? "number" : "", render: (cell, type) => shownOrSorted(cell, type) })),
    drawCallback: () => tick(),
  }));

  function tick() {
    for (const box of listTable.querySelectorAll("input")) box.checked = shown.includes(Number(box.value));
  }

  function show(numbers) {
    shown = numbers.slice(-2);
    tick();
    showRuns(shown.map((number) => runs.runs[number]));
  }

  listTable.addEventListener("change", ({ target }) => {
    const number = Number(target.value);
    show(target.checked ? [...shown, number] : shown.filter((other) => other !== number));
    choose({ runs: shown.map((at) => runs.runs[at].id) });
    if (shown.length) pane.scrollIntoView({ block: "nearest" });
  });
  control("run-metric").addEventListener("change", () => show(shown));
  const follow = () => show((view.runs ?? []).map((id) => runs.runs.findIndex((run) => run.id === id)).filter((at) => at >= 0));
  window.addEventListener("hashchange", follow);
  follow();
  if (shown.length) pane.scrollIntoView({ behavior: "instant" });
}
