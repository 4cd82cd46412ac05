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
    if (point.tasks) return `${when}, mean over the ${point.tasks} tasks that ${point.alone ? "have one" : "a run had learned"}`;
    if (!point.count) return `${when}, mean over ${point.total} runs`;
    return point.total > 1 ? `${when}, mean over ${point.count} of ${point.total} runs` : when;
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

  // Names the methods that lack some of the orders chosen.
  function absent(methodsOn, order) {
    const names = methodsOn.flatMap((method) => {
      if (method.mean) return [];
      const there = new Set(chosenRuns(method, order).map((run) => run[0])).size;
      if (order !== ALL_ORDERS) return there ? [] : [named(method)];
      return there < stream.orders.length ? [`${named(method)} (${there})`] : [];
    });
    if (!names.length) return "";
    return `${order === ALL_ORDERS ? "Ended well in fewer orders" : "No run that ended well in this order"}: ${names.join(", ")}.`;
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
