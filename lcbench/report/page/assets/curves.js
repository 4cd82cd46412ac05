// Turns the data in the page into curves: points {x, y, low, high, runs} by the number of tasks learned.
const AVERAGE = -1;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const known = (values) => values.filter((value) => value !== null);

// The runs of a method in one order; a run is [order, baseline, scores by metric, seconds, bytes].
const chosenRuns = (method, order) => method.runs.filter((run) => run[0] === order);

// R of a run, a row for each step, as it is shown: in percent, or as it is.
function matrix(stream, run, metric) {
  const [, scale, shown] = stream.metrics[metric];
  let start = 0;
  return stream.steps.map((learned) => run[2][metric].slice(start, (start += learned))
    .map((cell) => (cell === null ? null : (cell * shown) / scale)));
}

// The score of a task in a row of R, or the mean of all that are there.
const scoreIn = (row, order, task) => (task === AVERAGE ? (known(row).length ? mean(known(row)) : null) : row[order.indexOf(task)] ?? null);

// The mean of some values, with one standard deviation to both sides if there are several.
function point(x, values, rest) {
  const y = mean(values);
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - y) ** 2, 0) / (values.length - 1));
  return { x, y, runs: values.length, ...(values.length > 1 ? { low: y - deviation, high: y + deviation, deviation } : {}), ...rest };
}

// The curve of a task, or of the average, in one order; it starts at the single-task baseline, if that was run.
function curveOf(stream, method, metric, task, order) {
  const runs = chosenRuns(method, order);
  const [, scale, shown] = stream.metrics[metric];
  const tasks = stream.orders[order];
  const matrices = runs.map((run) => matrix(stream, run, metric));
  const points = stream.steps.flatMap((learned, k) => {
    const values = known(matrices.map((R) => scoreIn(R[k], tasks, task)));
    return values.length ? [point(learned, values)] : [];
  });
  const alone = known(runs.filter((run) => run[1] >= 0).map((run) => {
    const cells = stream.alone[run[1]][metric];
    const cell = scoreIn(task === AVERAGE ? cells : [cells[task]], [task], task);
    return cell === null ? null : (cell * shown) / scale;
  }));
  const before = task === AVERAGE ? 0 : tasks.indexOf(task);
  return points.length && alone.length ? [point(before, alone, { alone: true }), ...points] : points;
}

// Seconds (which 0) or bytes (which 1) after each number of tasks.
function costCurve(stream, method, which, order) {
  const runs = chosenRuns(method, order);
  return runs.length ? stream.steps.map((x, k) => point(x, runs.map((run) => run[3 + which][k]))) : [];
}
