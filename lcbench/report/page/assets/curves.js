// Turns the data in the page into curves: the score of each task by the number of tasks learned.
const AVERAGE = -1;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// The runs of a method in one order.
const chosenRuns = (method, order) => method.runs.filter((run) => run[0] === order);

// A curve is a list of points {x, y, count, total}; x is the number of tasks learned, and the first point may be the
// single-task baseline, one step before the first run learned the task.
function taskCurve(stream, method, metric, task, order) {
  const [, scale, shown] = stream.metrics[metric];
  const value = (cell) => (cell * shown) / scale;
  return method.mean
    ? meanCurve(stream, method, metric, task, value)
    : runsCurve(stream, chosenRuns(method, order), metric, task, value);
}

function meanCurve(stream, method, metric, task, value) {
  const [alone, ...cells] = method.mean[metric][task];
  const points = cells.flatMap((cell, k) =>
    cell === null ? [] : [{ x: stream.steps[k], y: value(cell), count: null, total: method.count }]);
  return started(points, alone === null ? [] : [value(alone)], points[0]?.x - 1);
}

// For each order and task: the place of the task in the order.
function positions(stream) {
  stream.positions ??= stream.orders.map((order) => {
    const places = [];
    order.forEach((task, position) => { places[task] = position; });
    return places;
  });
  return stream.positions;
}

function runsCurve(stream, runs, metric, task, value) {
  const points = [];
  let offset = 0;
  for (const learned of stream.steps) {
    const scores = [];
    for (const run of runs) {
      const position = positions(stream)[run[0]][task];
      const cell = position < learned ? run[2][metric][offset + position] : null;
      if (cell !== null) scores.push(value(cell));
    }
    if (scores.length) points.push({ x: learned, y: mean(scores), count: scores.length, total: runs.length });
    offset += learned;
  }
  const alone = runs.filter((run) => run[1] >= 0).map((run) => stream.alone[run[1]][metric][task]);
  const before = Math.min(...runs.map((run) => positions(stream)[run[0]][task]));
  return started(points, alone.filter((cell) => cell !== null).map(value), before);
}

function started(points, alone, before) {
  if (!points.length || !alone.length) return points;
  const total = points[0].total;
  return [{ x: before, y: mean(alone), count: alone.length, total, alone: true }, ...points];
}

// The mean over the tasks learned by then; at 0 that of the baseline over all tasks.
function averageCurve(stream, method, metric, order) {
  const curves = stream.tasks.map((_, task) => taskCurve(stream, method, metric, task, order));
  const points = stream.steps.flatMap((learned) => {
    const there = curves.flatMap((curve) => curve.filter((point) => point.x === learned && !point.alone));
    return there.length ? [{ x: learned, y: mean(there.map((point) => point.y)), tasks: there.length }] : [];
  });
  const alone = curves.flatMap((curve) => curve.filter((point) => point.alone));
  if (!points.length || !alone.length) return points;
  return [{ x: 0, y: mean(alone.map((point) => point.y)), tasks: alone.length, alone: true }, ...points];
}

function curveOf(stream, method, metric, task, order) {
  return task === AVERAGE
    ? averageCurve(stream, method, metric, order)
    : taskCurve(stream, method, metric, task, order);
}

// Seconds (which 0) or bytes (which 1) after each number of tasks.
function costCurve(stream, method, which, order) {
  const series = method.mean ? [method.costs[which]] : chosenRuns(method, order).map((run) => run[3 + which]);
  if (!series.some((values) => values.length)) return [];
  return stream.steps.map((x, k) => ({ x, y: mean(series.map((values) => values[k])) }));
}
