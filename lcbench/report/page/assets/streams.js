// The figures of one stream: lifelong curves, what other tasks bring, cost; and the values of the curves as a table.
const decimals = (value) => (Math.abs(value) >= 1 ? value.toFixed(2) : value.toPrecision(3));
const signed = (value) => `${value > 0 ? "+" : ""}${decimals(value)}`;
const counted = (n, noun) => (n === 1 ? `one ${noun}` : `${n} ${noun}s`);

// chosen: {metric, order, byTask, methods, tasks, pickMethod, pickTask}; metric and order are numbers in this stream.
function drawStream(section, stream, chosen) {
  const { metric, order, byTask } = chosen;
  const part = (role) => section.querySelector(`[data-role="${role}"]`);
  const [key, , shown] = stream.metrics[metric];
  const percent = shown === 100;
  const last = stream.tasks.length;
  const named = (method) => data.methods[method.method];
  const taskName = (task) => (task === AVERAGE ? "average of the tasks learned" : stream.tasks[task]);
  const methods = stream.methods.filter((method) => chosen.methods.has(named(method)));
  const range = [0, last];

  const about = (at, method) => {
    const count = method.count ?? at.runs;
    return count > 1 ? `\nmean of ${counted(count, "run")}${at.deviation ? `, ± ${decimals(at.deviation)} (one standard deviation)` : ""}` : "";
  };
  const lineOf = (method, task) => ({
    name: byTask ? named(method) : taskName(task), style: byTask ? method.method : task,
    points: curveOf(stream, method, metric, task, order),
    says: (at) => {
      const when = at.alone ? "by its single-task baseline, before it is learned" : `after ${at.x} of ${counted(last, "task")}`;
      return `${named(method)}, ${taskName(task)}\n${key} ${decimals(at.y)}${percent ? " %" : ""} ${when}${about(at, method)}`;
    },
  });
  const filled = (panels) => panels.map((panel) => ({ ...panel, lines: panel.lines.filter((line) => line.points.length) })).filter((panel) => panel.lines.length);
  const perMethod = (makePoints, says) => methods.map((method) => ({ name: named(method), style: method.method, points: makePoints(method), says: says(method) }));

  const unit = percent ? `${key} (%)` : key;
  const lifelong = filled(byTask
    ? chosen.tasks.map((task) => ({ unit, title: taskName(task), lines: methods.map((method) => lineOf(method, task)) }))
    : methods.map((method) => ({ unit, title: named(method), lines: chosen.tasks.map((task) => lineOf(method, task)) })));
  draw(part("lifelong"), lifelong, { range, shared: true, picked: byTask ? chosen.pickMethod : chosen.pickTask });
  part("caption").textContent = caption();

  if (part("paired")) {
    const points = percent ? "percentage points" : "";
    const side = (title, across, which, when) => ({
      title, across, zero: true, unit: percent ? `${key}, percentage points` : key,
      lines: perMethod(
        (method) => (method.paired ? method.paired[metric][which] : []).map(([y, low, high], x) => ({ x, y, ...(low === null ? {} : { low, high }) })),
        (method) => (at) => `${named(method)}: ${key} ${signed(at.y)} ${points} ${when(at.x)}${at.low === undefined ? "" : `\n95 % interval ${signed(at.low)} to ${signed(at.high)}`}`,
      ),
    });
    draw(part("paired"), filled([
      side("by arrival", "tasks known before", 0, (n) => `over the same method alone,\nwhere ${counted(n, "task")} ${n === 1 ? "was" : "were"} known before`),
      side("since arrival", "tasks learned since", 1, (n) => `since the task was learned,\nafter ${counted(n, "further task")}`),
    ]), { range: [0, last - 1], shared: true, picked: chosen.pickMethod });
  }

  const cost = (title, unit, which, format, says) => {
    const lines = perMethod((method) => costCurve(stream, method, which, order), (method) => (at) => `${named(method)}: ${says(at)}${about(at, method)}`);
    const all = lines.flatMap((line) => line.points.map((at) => at.y));
    const log = all.length > 0 && Math.min(...all) > 0 && Math.max(...all) > 50 * Math.min(...all);
    return { title, unit, lines: log ? lines.map((line) => ({ ...line, points: line.points.map(({ low, high, ...at }) => at) })) : lines, format, from: "tozero", log };
  };
  draw(part("cost"), filled([
    cost("time to learn a task", "seconds", 0, "~g", (at) => `${at.y.toPrecision(3)} s to learn task ${at.x} of ${last}`),
    cost("size of the state", "bytes", 1, "~s", (at) => `keeps ${Math.round(at.y).toLocaleString("en")} bytes after task ${at.x} of ${last}`),
  ]), { range: [Math.min(1, last / 2), last], shared: false, picked: chosen.pickMethod });

  const values = part("values");
  values.ontoggle = fillValues;
  fillValues();

  function fillValues() {
    if (!values.open) return;
    const box = part("values-table");
    const head = [byTask ? "task" : "method", byTask ? "method" : "task", ...["tasks learned", unit, "±", "runs"].map((name) => [name, null, "number"])];
    const rows = lifelong.flatMap((panel) => panel.lines.flatMap((line) => line.points.map((at) => [
      panel.title, line.name, [at.alone ? "alone" : at.x, at.alone ? at.x - 0.5 : at.x, "number"], [decimals(at.y), at.y, "number"],
      [at.deviation ? decimals(at.deviation) : "–", at.deviation ?? "", "number"], [at.runs, at.runs, "number"]])));
    showTable(box, makeTable(box.dataset.label, head, rows), { paging: true, pageLength: 25, lengthChange: false, layout: { ...TOOLS, bottomStart: "info", bottomEnd: "paging" } });
  }

  // The caption says what is drawn, for readers without the controls: on paper, or with a screen reader.
  function caption() {
    if (!methods.length || !chosen.tasks.length) return "Nothing is chosen: switch on a method and a task.";
    const points = lifelong.flatMap((panel) => panel.lines.flatMap((line) => line.points));
    const lacking = methods.filter((method) => !chosenRuns(method, order).length);
    return [
      `${key}, order ${stream.order_texts[order]}; ${methods.length} of ${stream.methods.length} methods, ${chosen.tasks.filter((task) => task !== AVERAGE).length} of ${last} tasks.`,
      points.some((at) => at.alone) && "Open marks: the single-task baseline.",
      points.some((at) => at.deviation) && "Bands: one standard deviation to both sides, over the runs in this order.",
      lacking.length && `No run that ended well in this order: ${lacking.map(named).join(", ")}.`,
    ].filter(Boolean).join(" ");
  }
}
