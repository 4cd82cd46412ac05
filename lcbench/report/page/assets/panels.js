// Draws the panels of one figure side by side, as many as the width allows.
const PANEL_WIDTH = 300;
const PANEL_HEIGHT = 215;
const MOST_COLUMNS = 3;
const SPACE = { left: 62, right: 14, between: 26, title: 30, bottom: 52 };

// The places of n panels in a figure of this width, as fractions of its drawing area.
function arrange(n, width, shared) {
  const columns = Math.max(1, Math.min(MOST_COLUMNS, n, Math.floor(width / PANEL_WIDTH)));
  const rows = Math.ceil(n / columns);
  const inner = width - SPACE.left - SPACE.right;
  const gap = (shared ? SPACE.between : SPACE.left + 8) / inner;
  const wide = (1 - gap * (columns - 1)) / columns;
  const step = PANEL_HEIGHT + SPACE.title + SPACE.bottom;
  const high = rows * step - SPACE.bottom - SPACE.title;
  const places = Array.from({ length: n }, (_, i) => {
    const column = i % columns;
    const row = Math.floor(i / columns);
    const top = 1 - (row * step) / high;
    const x = column * (wide + gap);
    return { x: [x, Math.min(1, x + wide)], y: [Math.max(0, top - PANEL_HEIGHT / high), top], column, row };
  });
  return { places, height: high + SPACE.title + SPACE.bottom };
}

const key = (name, i) => (i === 0 ? name : `${name}${i + 1}`);
const cut = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

// panels: {title, unit, across, log, from, format, lines: [{name, style, points, hover}]}; shared: one y axis for all.
function draw(element, panels, { first, last, shared }) {
  const colours = theme();
  const width = printing.matches ? PRINT_WIDTH : Math.floor(element.getBoundingClientRect().width);
  const { places, height } = arrange(panels.length, width, shared);
  const layout = {
    width, height, showlegend: false, dragmode: false, hovermode: "closest",
    paper_bgcolor: colours.ground, plot_bgcolor: colours.ground,
    font: { family: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif", size: 12, color: colours.ink },
    margin: { l: SPACE.left, r: SPACE.right, t: SPACE.title, b: SPACE.bottom, pad: 0, autoexpand: false },
    hoverlabel: { align: "left", namelength: -1, bgcolor: colours.raised, bordercolor: colours.soft, font: { color: colours.ink } },
    annotations: [],
  };
  const data = [];
  panels.forEach((panel, i) => {
    const place = places[i];
    const axis = { gridcolor: colours.line, linecolor: colours.soft, zeroline: false, showline: true, fixedrange: true, ticks: "outside", tickcolor: colours.soft, ticklen: 4 };
    const below = places.some((other) => other.row === place.row + 1 && other.column === place.column);
    layout[key("xaxis", i)] = {
      ...axis, domain: place.x, anchor: key("y", i), showgrid: false, range: [first - 0.04 * last, last * 1.04],
      dtick: Math.max(1, Math.ceil(last / 8)), tick0: 0,
      title: { text: below ? "" : panel.across || "tasks learned", standoff: 6, font: { color: colours.soft } },
    };
    layout[key("yaxis", i)] = {
      ...axis, domain: place.y, anchor: key("x", i), type: panel.log ? "log" : "linear",
      showticklabels: !shared || place.column === 0, ...(shared && i > 0 ? { matches: "y" } : {}),
      title: { text: !shared || place.column === 0 ? plain(panel.unit) : "", standoff: 4, font: { color: colours.soft } },
      tickformat: panel.format || "", ...(panel.log ? { dtick: 1 } : { rangemode: panel.from || "normal" }),
    };
    layout.annotations.push({
      text: `<b>${plain(cut(panel.title, 40))}</b>`, showarrow: false, xref: "paper", yref: "paper",
      x: place.x[0], y: place.y[1], xanchor: "left", yanchor: "bottom", yshift: 4, font: { size: 13, color: colours.ink },
    });
    for (const line of panel.lines) data.push(trace(line, i, colours, markSize(last)));
  });
  return Plotly.react(element, data, layout, { displayModeBar: false });
}

// The size of markers: smaller where there are many steps, so that they do not touch.
const markSize = (steps) => Math.max(3, Math.min(8, 150 / steps));

function trace(line, i, colours, size) {
  const at = look(line.style, colours);
  return {
    type: "scatter", mode: "lines+markers", name: plain(line.name), xaxis: key("x", i), yaxis: key("y", i),
    x: line.points.map((point) => point.x), y: line.points.map((point) => point.y),
    line: { color: at.color, dash: at.dash, width: at.width },
    marker: { symbol: at.symbol, size, color: line.points.map((point) => (point.alone ? colours.ground : at.color)), line: { color: at.color, width: 1.5 } },
    customdata: line.points.map((point) => plain(line.hover(point)).replace(/\n/g, "<br>")),
    hovertemplate: "%{customdata}<extra></extra>",
    ...(line.points.some((point) => point.ends) ? {
      error_y: {
        type: "data", symmetric: false, thickness: 1, width: 3, color: at.color,
        array: line.points.map((point) => (point.ends ? point.ends[1] - point.y : 0)),
        arrayminus: line.points.map((point) => (point.ends ? point.y - point.ends[0] : 0)),
      },
    } : {}),
  };
}
