// Sets up the controls and the two figures of each stream, and draws them again when a choice changes.
const data = JSON.parse(document.getElementById("data").textContent);
const redraws = [];

for (const section of document.querySelectorAll("[data-stream]")) {
  redraws.push(setUp(section, data.streams[Number(section.dataset.stream)]));
}

function setUp(section, stream) {
  const controls = section.querySelector(".controls");
  const methods = part(section, "methods");
  const tasks = part(section, "tasks");
  const selects = ["metric", "order", "panels"].map((role) => part(section, role));
  const values = section.querySelector(".values");
  const named = (method) => data.methods[method.method];
  const taskName = (task) => (task === AVERAGE ? "average of the tasks learned" : stream.tasks[task]);

  fillBoxes(methods, stream.methods.map((method) => (
    { name: named(method), value: method.method, on: method.on })), redraw);
  fillBoxes(tasks, [AVERAGE, ...stream.tasks.keys()].map((task) => (
    { name: taskName(task), value: task, on: task < MOST_TASKS_ON })), redraw);
  for (const select of selects) select.addEventListener("change", redraw);
  values.addEventListener("toggle", redraw);
  controls.hidden = false;
  values.hidden = false;

  function lineOf(method, metric, task, order, byTask) {
    const [key] = stream.metrics[metric];
    return {
      name: byTask ? named(method) : taskName(task),
      style: byTask ? method.method : task,
      points: curveOf(stream, method, metric, task, order),
      hover: (point) => [`${named(method)}, ${taskName(task)}`, `${key} ${decimals(point.y)}`, about(point)].join("\n"),
    };
  }

  function about(point) {
    const when = point.alone ? "single-task baseline" : `after ${point.x} of ${stream.tasks.length} tasks`;
    if (point.tasks) return `${when}, mean over ${point.tasks === 1 ? "one task" : `${point.tasks} tasks`}`;
    if (point.total < 2) return when;
    return `${when}, mean over ${point.count ? `${point.count} of ` : ""}${point.total} runs`;
  }

  function redraw() {
    const [metric, order] = selects.slice(0, 2).map((select) => Number(select.value));
    const byTask = selects[2].value === "task";
    const on = new Set(checked(methods));
    const methodsOn = stream.methods.filter((method) => on.has(method.method));
    const tasksOn = checked(tasks);
    const [key, , shown] = stream.metrics[metric];
    const unit = shown === 100 ? `${key} (%)` : key;
    const full = (panel) => ({ unit, ...panel, lines: panel.lines.filter((line) => line.points.length) });
    const panels = (byTask
      ? tasksOn.map((task) => ({ title: taskName(task), lines: methodsOn.map((method) => lineOf(method, metric, task, order, true)) }))
      : methodsOn.map((method) => ({ title: named(method), lines: tasksOn.map((task) => lineOf(method, metric, task, order, false)) }))
    ).map(full).filter((panel) => panel.lines.length);
    showSwatches(methods, byTask);
    showSwatches(tasks, !byTask);
    const methodLines = methodsOn.map((method) => ({ name: named(method), style: method.method }));
    fillLegend(part(section, "legend"), byTask ? methodLines : tasksOn.map((task) => ({ name: taskName(task), style: task })));
    fillLegend(part(section, "cost-legend"), methodLines);
    part(section, "cost-legend").classList.toggle("needed", !byTask);
    part(section, "caption").textContent = caption(panels, methodsOn, tasksOn, order);
    if (values.open) fillValues(values.querySelector(".scroll"), panels, [byTask ? "task" : "method", byTask ? "method" : "task", "tasks learned", unit]);
    const last = stream.tasks.length;
    draw(part(section, "lifelong"), panels, { first: 0, last, shared: true });
    const pairedOn = methodsOn.filter((method) => method.paired);
    if (part(section, "paired")) {
      fillLegend(part(section, "paired-legend"), pairedOn.map((method) => ({ name: named(method), style: method.method })));
      draw(part(section, "paired"), pairedPanels(pairedOn, metric, shown === 100 ? `${key}, percentage points` : key), { first: 0, last: last - 1, shared: true });
    }
    draw(part(section, "cost"), costPanels(methodsOn, order), { first: Math.min(1, last / 2), last, shared: false });
  }

  // The caption says what is drawn, for readers without the controls: on paper, or with a screen reader.
  function caption(panels, methodsOn, tasksOn, order) {
    if (!methodsOn.length || !tasksOn.length) return "Nothing is chosen: switch on a method and a task.";
    const chosen = selects.slice(0, 2).map((select) => select.selectedOptions[0].text).join(", ");
    const tasks = tasksOn.filter((task) => task !== AVERAGE).length;
    const counts = `${methodsOn.length} of ${stream.methods.length} methods, ${tasks} of ${stream.tasks.length} tasks`;
    const alone = panels.some((panel) => panel.lines.some((line) => line.points.some((point) => point.alone)));
    return [`${chosen}; ${counts}.`, alone ? "Open marks: the single-task baseline." : "", absent(methodsOn, order)].join(" ").trim();
  }

  // Names the methods that lack the order chosen.
  function absent(methodsOn, order) {
    const lacking = methodsOn.filter((method) => !(method.mean ? method.count : chosenRuns(method, order).length));
    return lacking.length ? `No run that ended well in this order: ${lacking.map(named).join(", ")}.` : "";
  }

  // Two panels: the change by arrival and since arrival, each point with its interval.
  function pairedPanels(methodsOn, metric, unit) {
    const made = (title, across, side) => ({
      title, across, unit,
      lines: methodsOn.map((method) => ({
        name: named(method), style: method.method,
        points: method.paired[metric][side].map(([y, low, high], x) => ({ x, y, ends: low === null ? null : [low, high] })),
        hover: (point) => `${named(method)}, ${title}\n${decimals(point.y)}${point.ends ? ` (${point.ends.map(decimals).join(" to ")})` : ""}\n${across}: ${point.x}`,
      })).filter((line) => line.points.length),
    });
    return [made("by arrival", "tasks known before", 0), made("since arrival", "tasks learned since", 1)].filter((panel) => panel.lines.length);
  }

  function costPanels(methodsOn, order) {
    const made = (title, unit, which, format, text) => {
      const lines = methodsOn.map((method) => ({
        name: named(method), style: method.method, points: costCurve(stream, method, which, order),
        hover: (point) => `${named(method)}\n${text(point.y)}\ntask ${point.x} of ${stream.tasks.length}`,
      })).filter((line) => line.points.length);
      const all = lines.flatMap((line) => line.points.map((point) => point.y));
      return { title, unit, lines, format, from: "tozero", log: all.length > 0 && Math.min(...all) > 0 && Math.max(...all) > 50 * Math.min(...all) };
    };
    return [
      made("time to learn a task", "seconds", 0, "~g", (value) => `${value.toPrecision(4)} s`),
      made("size of the state", "bytes", 1, "~s", (value) => `${Math.round(value).toLocaleString("en")} bytes`),
    ].filter((panel) => panel.lines.length);
  }

  return redraw;
}

function redrawAll() {
  for (const redraw of redraws) redraw();
}

let waiting = 0;
let width = document.documentElement.clientWidth;
window.addEventListener("resize", () => {
  if (document.documentElement.clientWidth === width) return;
  width = document.documentElement.clientWidth;
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(redrawAll);
});
for (const media of [dark, printing]) media.addEventListener("change", redrawAll);
redraws.forEach((redraw, i) => (i === 0 ? redraw() : setTimeout(redraw)));  // the page answers meanwhile
// Tables that are folded are open on paper, also in browsers that have no ::details-content.
let unfolded = [];
printing.addEventListener("change", () => {
  for (const details of unfolded) details.open = false;
  unfolded = printing.matches ? [...document.querySelectorAll(".folded:not([open])")] : [];
  for (const details of unfolded) details.open = true;
});
