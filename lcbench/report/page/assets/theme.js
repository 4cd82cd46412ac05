// Colours, dashes and markers: a line is known by all three, so that it can be told apart in grey.
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const DASH_ARRAYS = { solid: "", dash: "6 3", dot: "2 2", dashdot: "6 2 2 2", longdash: "10 3", longdashdot: "10 2 2 2" };
const MARKERS = ["circle", "square", "diamond", "triangle-up", "x", "triangle-down", "cross", "star"];
const PRINT_WIDTH = 660;

const printing = window.matchMedia("print");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function theme() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  return {
    ground: value("--ground"), raised: value("--raised"), ink: value("--ink"), soft: value("--soft"),
    line: value("--line"), lines: value("--lines").split(/\s+/),
  };
}

// The look of the i-th line; i of -1 is the average among tasks.
function look(i, colours) {
  if (i < 0) return { color: colours.ink, dash: "solid", symbol: "circle", width: 3.5 };
  const n = colours.lines.length;
  return {
    color: colours.lines[i % n],
    dash: DASHES[(i + Math.floor(i / n)) % DASHES.length],
    symbol: MARKERS[(i + Math.floor(i / n)) % MARKERS.length],
    width: 2,
  };
}

// A short sample of a line, for labels and the legend.
const SHAPES = {
  circle: "M21 6a4 4 0 1 1-8 0a4 4 0 1 1 8 0z", square: "M13 2h8v8h-8z", diamond: "M17 1l5 5l-5 5l-5-5z",
  "triangle-up": "M17 1l5 9h-10z", "triangle-down": "M17 11l5-9h-10z",
  x: "M13 3.5l1.5-1.5l2.5 2.5l2.5-2.5l1.5 1.5l-2.5 2.5l2.5 2.5l-1.5 1.5l-2.5-2.5l-2.5 2.5l-1.5-1.5l2.5-2.5z",
  cross: "M15.5 1.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
  star: "M17 0.5l1.5 3.7l4 .3l-3 2.6l1 3.9l-3.5-2.1l-3.5 2.1l1-3.9l-3-2.6l4-.3z",
};

function swatch(i, colours) {
  const at = look(i, colours);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "swatch");
  svg.setAttribute("viewBox", "0 0 34 12");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(svg.namespaceURI, "path");
  line.setAttribute("d", "M0 6H34");
  line.setAttribute("stroke", at.color);
  line.setAttribute("stroke-width", at.width);
  line.setAttribute("stroke-dasharray", DASH_ARRAYS[at.dash]);
  const mark = document.createElementNS(svg.namespaceURI, "path");
  mark.setAttribute("d", SHAPES[at.symbol]);
  mark.setAttribute("fill", at.color);
  svg.append(line, mark);
  return svg;
}

// Text that plotly shows as it is: it reads a little HTML in texts, and TeX between dollar signs.
function plain(text) {
  return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\$/g, "&#36;");
}
