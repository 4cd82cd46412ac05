// Sections fold; a link into one opens it. On paper the tables that the page itself folded are open.
function openAround(element) {
  for (let at = element?.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
}

function followLink() {
  if (!location.hash.includes("=")) openAround(document.getElementById(location.hash.slice(1)));
}
window.addEventListener("hashchange", followLink);
followLink();

const printing = window.matchMedia("print");
let unfolded = [];
printing.addEventListener("change", () => {
  for (const details of unfolded) details.open = false;
  unfolded = printing.matches ? [...document.querySelectorAll(".folded:not([open])")] : [];
  for (const details of unfolded) details.open = true;
});
