// The controls of the curves, and the view in the address: #stream=...&metric=...&methods=... shows the same again.
const data = JSON.parse(document.getElementById("data").textContent);
const ALL = "all streams";
const MOST_TASKS_ON = 8;
const LISTS = ["methods", "tasks", "runs"];
const control = (role) => document.querySelector(`[data-role="${role}"]`);
let view = {};  // what was chosen, by name; what is not in it is at its default

function readView() {
  const fragment = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  view = Object.fromEntries([...new Set(fragment.keys())].map((key) => (
    [key, LISTS.includes(key) ? fragment.getAll(key).filter(Boolean) : fragment.get(key)])));
}

function choose(changes) {
  Object.assign(view, changes);
  const fragment = new URLSearchParams();
  for (const [key, value] of Object.entries(view)) {
    for (const one of Array.isArray(value) && value.length ? value : [value]) fragment.append(key, one);
  }
  history.replaceState(null, "", `#${fragment}`);
}

const labels = data.streams.map((stream) => stream.label);
const shownStreams = () => (view.stream === ALL && labels.length > 1 ? data.streams : [data.streams[Math.max(0, labels.indexOf(view.stream))]]);
const tasksAtFirst = (stream) => [AVERAGE, ...stream.tasks.keys()].slice(0, MOST_TASKS_ON + 1);

function fillSelect(role, options, value) {
  const select = control(role);
  select.replaceChildren(...options.map(([key, text]) => new Option(text, key)));
  select.value = options.some(([key]) => key === value) ? value : options[0][0];
  select.disabled = options.length < 2;
}

// Checkboxes, each with the mark of its line; buttons for all and none where there are several.
function fillBoxes(role, choices) {
  const fieldset = control(role);
  fieldset.querySelector(".boxes").replaceChildren(...choices.map(({ name, value, on }) => {
    const box = element("input", { type: "checkbox", value, checked: on });
    box.dataset.name = name;
    return element("label", {}, box, element("span", { className: "mark", ariaHidden: "true" }), name);
  }));
  for (const button of fieldset.querySelectorAll("button")) button.hidden = choices.length < 3;
}

const boxes = (role) => [...control(role).querySelectorAll("input")];
const checked = (role) => boxes(role).filter((box) => box.checked);

// Set up the controls for what is chosen: when the page is opened, and when another stream is.
function fillControls() {
  const streams = shownStreams();
  const one = streams.length === 1 ? streams[0] : null;
  fillSelect("stream", [...labels, ...(labels.length > 1 ? [ALL] : [])].map((label) => [label, label]), view.stream);
  fillSelect("metric", [...new Set(streams.flatMap((stream) => stream.metrics.map(([key]) => key)))].map((key) => [key, key]), view.metric);
  fillSelect("order", one ? one.order_texts.map((text, i) => [String(i + 1), text]) : [["1", "the first of each stream"]], view.order);
  control("panels").value = view.panels === "method" ? "method" : "task";
  const methods = [...new Set(streams.flatMap((stream) => stream.methods.map((method) => method.method)))];
  const first = new Set(streams.flatMap((stream) => stream.methods.filter((method) => method.on).map((method) => method.method)));
  fillBoxes("methods", methods.map((value) => ({ name: data.methods[value], value, on: view.methods ? view.methods.includes(data.methods[value]) : first.has(value) })));
  control("tasks").hidden = !one;
  fillBoxes("tasks", one ? [AVERAGE, ...one.tasks.keys()].map((value) => {
    const name = value === AVERAGE ? "average" : one.tasks[value];
    return { name: value === AVERAGE ? "average of the tasks learned" : name, value, on: view.tasks ? view.tasks.includes(name) : value < MOST_TASKS_ON };
  }) : []);
}

function showCurves() {
  const streams = shownStreams();
  const byTask = control("panels").value === "task";
  const colours = theme();
  for (const [role, marked] of [["methods", byTask], ["tasks", !byTask]]) {
    for (const box of boxes(role)) {
      const { color, glyph } = look(Number(box.value), colours);
      Object.assign(box.nextSibling, { textContent: marked || role === "methods" ? glyph : "" }).style.color = color;
    }
  }
  const pick = (role) => (value) => boxes(role).find((box) => Number(box.value) === value)?.click();
  document.querySelectorAll("[data-stream]").forEach((section, i) => {
    const stream = data.streams[i];
    section.hidden = !streams.includes(stream);
    if (section.hidden) return;
    drawStream(section, stream, {
      byTask, metric: Math.max(0, stream.metrics.findIndex(([key]) => key === control("metric").value)), order: Number(control("order").value) - 1,
      methods: new Set(checked("methods").map((box) => box.dataset.name)),
      tasks: streams.length === 1 ? checked("tasks").map((box) => Number(box.value)) : tasksAtFirst(stream),
      pickMethod: pick("methods"), pickTask: pick("tasks"),
    });
  });
}

readView();

function followView() {
  readView();
  fillControls();
  showCurves();
}

if (data.streams.length) {
  control("controls").hidden = false;
  control("legend").hidden = false;
  for (const role of ["metric", "order", "panels"]) {
    control(role).addEventListener("change", ({ target }) => { choose({ [role]: target.value }); showCurves(); });
  }
  control("stream").addEventListener("change", ({ target }) => {
    const { runs, metric, methods, panels } = view;  // orders and tasks are those of one stream
    view = JSON.parse(JSON.stringify({ runs, metric, methods, panels }));
    choose({ stream: target.value });
    fillControls();
    showCurves();
  });
  for (const role of ["methods", "tasks"]) {
    const changed = () => {
      choose({ [role]: checked(role).map((box) => (Number(box.value) === AVERAGE ? "average" : box.dataset.name)) });
      showCurves();
    };
    control(role).addEventListener("change", changed);
    for (const button of control(role).querySelectorAll("button")) {
      button.addEventListener("click", () => { for (const box of boxes(role)) box.checked = button.value === "all"; changed(); });
    }
  }
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width && contentRect.width !== width && !printing.matches) showCurves();
    width = contentRect.width || width;
  }).observe(control("figures"));
  for (const media of [window.matchMedia("(prefers-color-scheme: dark)"), printing]) media.addEventListener("change", showCurves);
  followView();
  window.addEventListener("hashchange", () => location.hash.includes("=") && followView());
  if (view.stream || view.metric || view.methods || view.order) document.getElementById("curves").scrollIntoView({ behavior: "instant" });
}
