// The list of runs; one that is ticked is shown below it, and two side by side.
const runs = data.runs;
const text = DataTable.render.text().display;
const listTable = document.getElementById("run-list");
const pane = control("run-pane");

function showRuns(chosen) {
  control("run-controls").hidden = !chosen.length;
  const groups = ["run", "environment"].map((group) => chosen.map((run) => new Map(group === "run" ? run.facts.concat(runs.setups[run.setup]) : runs.environments[run.environment])));
  const heads = chosen.map((run) => run.title);
  const tables = groups.map((facts, i) => {
    const names = [...new Set(facts.flatMap((own) => [...own.keys()]))];
    const differ = (name) => new Set(facts.map((own) => own.get(name))).size > 1;
    const rows = names.map((name) => [name, ...facts.map((own) => [own.get(name) ?? "–", null, differ(name) ? "differs" : ""])]);
    return box(["", "Environment"][i], makeTable(["Facts", "Environment"][i], ["fact", ...heads], rows), i === 1);
  });
  pane.replaceChildren(...(chosen.length ? [heading(heads.join(" beside ")), matrices(chosen), ...tables] : []));
  for (const table of pane.querySelectorAll("table")) whenNear(table, () => interactive(table));
}

// A cell is a text, or a pair of a text and the number to sort by.
function shownOrSorted(cell, type) {
  const [shown, order] = Array.isArray(cell) ? cell : [cell, cell];
  return type === "display" ? text(shown) : type === "filter" ? shown : order;
}

const heading = (title) => Object.assign(document.createElement("h3"), { textContent: title });

function box(title, content, folded) {
  const made = document.createElement(folded ? "details" : "div");
  made.className = folded ? "folded" : "";
  if (folded) made.append(Object.assign(document.createElement("summary"), { textContent: title }));
  made.append(content);
  return made;
}

// R of each run, tasks in the order in which it learned them.
function matrices(chosen) {
  const made = Object.assign(document.createElement("div"), { className: "beside" });
  made.append(...chosen.map((run) => {
    const [at, method, number] = run.curve ?? [];
    const stream = data.streams[at];
    const metric = stream?.metrics.findIndex(([key]) => key === control("run-metric").value) ?? -1;
    if (metric < 0) return box("", Object.assign(document.createElement("p"), { textContent: run.without || `${run.title}: not scored by this metric.` }));
    const R = matrix(stream, stream.methods[method].runs[number], metric);
    const percent = stream.metrics[metric][2] === 100;
    const title = `${run.title}: ${stream.metrics[metric][0]}${percent ? " (%)" : ""} of each task after so many were learned`;
    const rows = R.map((row, k) => [[stream.steps[k], stream.steps[k]], ...run.order.map((_, j) => {
      const cell = row[j] ?? null;
      return [cell === null ? "" : cell.toFixed(percent ? 1 : 3), cell ?? "", "number"];
    })]);
    const part = box("", makeTable(title, ["learned", ...run.order.map((task) => [task, null, "number"])], rows));
    part.prepend(Object.assign(document.createElement("h4"), { textContent: title }));
    return part;
  }));
  return made;
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
