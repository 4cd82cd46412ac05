// Draws a figure of panels side by side with plotly. A line is known by colour, dash and mark, also in grey.
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const MARKS = ["circle", "square", "diamond", "triangle-up", "x", "triangle-down", "cross", "star"];
const GLYPHS = ["●", "■", "◆", "▲", "✖", "▼", "✚", "★"];  // the same in text
const SCREEN = { panel: 300, row: 270, columns: 3 };
const PAPER = { panel: 215, row: 230, columns: 3, width: 660, height: 900 };
// Named one by one: plotly has a button, on by itself, that would send a figure to its makers.
const CONFIG = { displaylogo: false, displayNotifier: false, showSendToCloud: false, plotlyServerURL: "", modeBarButtons: [["toImage", "zoom2d", "pan2d", "resetScale2d"]], toImageButtonOptions: { filename: "lcbench", scale: 2 } };
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";

function theme() {
  const style = getComputedStyle(document.documentElement);
  const named = (name) => style.getPropertyValue(`--${name}`).trim();
  return { ...Object.fromEntries(["ground", "raised", "ink", "soft", "line"].map((name) => [name, named(name)])), lines: named("lines").split(/\s+/) };
}

// The look of the i-th line; i of -1 is the average among tasks.
function look(i, colours) {
  if (i < 0) return { color: colours.ink, dash: "solid", symbol: "circle", glyph: "●", width: 3.5 };
  const n = colours.lines.length;
  const turn = i + Math.floor(i / n);
  return { color: colours.lines[i % n], dash: DASHES[turn % DASHES.length], symbol: MARKS[turn % MARKS.length], glyph: GLYPHS[turn % MARKS.length], width: 2 };
}

// Text that plotly shows as it is: it reads a little HTML in texts, and TeX between dollar signs.
const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\$/g, "&#36;").replace(/\n/g, "<br>");
const cut = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);
const axis = (name, i) => (i === 0 ? name : `${name}${i + 1}`);

// panels: {title, unit, across, log, format, zero, lines: [{name, style, points, says}]}; range: first and last x; shared:
// one y axis for all; picked: called with the style of a line whose name in the legend is clicked.
function draw(element, panels, options) {
  whenNear(element, () => drawNow(element, panels, options));
  if (printing.matches) start(element);
}

function drawNow(element, panels, { range: [first, last], shared, picked }) {
  startLibrary("plotly");
  const colours = theme();
  const at = printing.matches ? PAPER : SCREEN;
  const width = at.width ?? Math.floor(element.getBoundingClientRect().width);
  const columns = Math.max(1, Math.min(at.columns, panels.length, Math.floor(width / at.panel)));
  const rows = Math.ceil(panels.length / columns);
  const height = Math.min(rows * at.row, at.height ?? Infinity);
  const layout = {
    width, height: height + 50, hovermode: "closest", dragmode: matchMedia("(pointer: fine)").matches ? "zoom" : false,
    paper_bgcolor: colours.ground, plot_bgcolor: colours.ground, font: { family: FONT, size: 12, color: colours.ink },
    margin: { l: 62, r: 14, t: 34, b: 48 }, showlegend: width > 500,
    legend: { orientation: "h", x: 0, xanchor: "left", y: 1 + 24 / height, yanchor: "bottom", bgcolor: "transparent" },
    hoverlabel: { align: "left", namelength: -1, bgcolor: colours.raised, bordercolor: colours.soft, font: { color: colours.ink } },
    grid: { rows: Math.max(1, rows), columns, pattern: "independent", xgap: shared ? 0.1 : 0.25, ygap: 0.34 },
    annotations: panels.map((panel, i) => ({
      text: `<b>${plain(cut(panel.title, Math.floor(width / columns / 9)))}</b>`, showarrow: false, xref: `${axis("x", i)} domain`, yref: `${axis("y", i)} domain`,
      x: 0, y: 1, xanchor: "left", yanchor: "bottom", yshift: 3, font: { size: 13 },
    })),
  };
  const frame = { gridcolor: colours.line, linecolor: colours.soft, zerolinecolor: colours.soft, showline: true, ticks: "outside", tickcolor: colours.soft, ticklen: 4 };
  const titled = (text) => ({ text: plain(text), standoff: 5, font: { color: colours.soft } });
  panels.forEach((panel, i) => {
    const left = !shared || i % columns === 0;
    layout[axis("xaxis", i)] = {
      ...frame, showgrid: false, zeroline: false, range: [first - 0.04 * last, last * 1.04], dtick: Math.max(1, Math.ceil(last / 8)), tick0: 0,
      title: titled(i + columns < panels.length ? "" : panel.across || "tasks learned"),
    };
    layout[axis("yaxis", i)] = {
      ...frame, zeroline: Boolean(panel.zero), type: panel.log ? "log" : "linear", showticklabels: left, title: titled(left ? panel.unit : ""),
      tickformat: panel.format || "", ...(panel.log ? { dtick: 1 } : { rangemode: panel.from || "normal" }), ...(shared && i > 0 ? { matches: "y" } : {}),
    };
  });
  const named = new Set();
  const data = panels.flatMap((panel, i) => panel.lines.flatMap((line) => traces(line, i, last, colours, named)));
  Plotly.react(element, data, layout, CONFIG);
  if (!element.picked) {
    element.on("plotly_legendclick", ({ curveNumber }) => { element.picked(Number(element.data[curveNumber].legendgroup)); return false; });
    element.on("plotly_legenddoubleclick", () => false);
  }
  element.picked = picked;
}

// The line itself, and its band below it; the first of each name is in the legend.
function traces(line, i, steps, colours, named) {
  const at = look(line.style, colours);
  const common = { type: "scatter", xaxis: axis("x", i), yaxis: axis("y", i), legendgroup: String(line.style), name: plain(line.name) };
  const points = [...line.points].reverse();  // the legend shows the first mark, which is open at a baseline
  const banded = points.filter((at) => at.low !== undefined);
  const back = [...banded].reverse();
  const shown = !named.has(line.style);
  named.add(line.style);
  return [
    ...(banded.length ? [{
      ...common, mode: "lines", line: { width: 0 }, fill: "toself", fillcolor: `${at.color}2e`, hoverinfo: "skip", showlegend: false,
      x: [...banded, ...back].map((at) => at.x), y: [...banded.map((at) => at.low), ...back.map((at) => at.high)],
    }] : []),
    {
      ...common, mode: "lines+markers", showlegend: shown, line: { color: at.color, dash: at.dash, width: at.width },
      x: points.map((at) => at.x), y: points.map((at) => at.y),
      marker: { symbol: at.symbol, size: Math.max(3, Math.min(8, 150 / steps)), line: { color: at.color, width: 1.5 }, color: points.map((point) => (point.alone ? colours.ground : at.color)) },
      customdata: points.map((at) => plain(line.says(at))), hovertemplate: "%{customdata}<extra></extra>",
    },
  ];
}
