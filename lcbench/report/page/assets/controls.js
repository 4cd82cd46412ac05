// The controls of a stream: choice of metric, order, panels, methods and tasks.
const MOST_TASKS_ON = 8;

function part(section, role) {
  return section.querySelector(`[data-role="${role}"]`);
}

// Checkboxes with a label and a sample of the line; two buttons for all and none where there are several.
function fillBoxes(fieldset, choices, changed) {
  const boxes = fieldset.querySelector(".boxes");
  for (const { name, value, on } of choices) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = value;
    box.checked = on;
    box.addEventListener("change", changed);
    label.append(box, document.createTextNode(name));
    boxes.append(label);
  }
  if (choices.length > 2) fieldset.append(button("all", true), button("none", false));

  function button(text, on) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", `${fieldset.querySelector("legend").textContent}: ${text}`);
    made.addEventListener("click", () => {
      for (const box of boxes.querySelectorAll("input")) box.checked = on;
      changed();
    });
    return made;
  }
}

function checked(fieldset) {
  return [...fieldset.querySelectorAll("input:checked")].map((box) => Number(box.value));
}

// Put samples of lines beside the labels of a fieldset, or take them away.
function showSwatches(fieldset, shown) {
  const colours = theme();
  for (const label of fieldset.querySelectorAll("label")) {
    label.querySelector(".swatch")?.remove();
    if (shown) label.firstChild.after(swatch(Number(label.firstChild.value), colours));
  }
}

function fillLegend(list, lines) {
  const colours = theme();
  list.replaceChildren(...lines.map(({ name, style }) => {
    const item = document.createElement("li");
    item.append(swatch(style, colours), document.createTextNode(name));
    return item;
  }));
}

// The values that are drawn, as a table for those who cannot see or hover.
function fillValues(box, panels, heads) {
  const table = document.createElement("table");
  table.setAttribute("aria-label", box.getAttribute("aria-label"));
  const head = table.createTHead().insertRow();
  for (const text of heads) head.append(cell("th", text, "col"));
  const body = table.createTBody();
  for (const panel of panels) {
    for (const line of panel.lines) {
      for (const point of line.points) {
        const row = body.insertRow();
        row.append(cell("th", panel.title, "row"), cell("td", line.name));
        row.append(cell("td", point.alone ? "alone" : point.x, "number"), cell("td", decimals(point.y), "number"));
      }
    }
  }
  box.replaceChildren(table);

  function cell(tag, text, kind) {
    const made = document.createElement(tag);
    made.textContent = text;
    if (tag === "th") made.scope = kind;
    else if (kind) made.className = kind;
    return made;
  }
}

const decimals = (value) => (Math.abs(value) >= 1 ? value.toFixed(2) : value.toPrecision(4));
