// Tables that are folded are open on paper, also in browsers that have no ::details-content.
let unfolded = [];
printing.addEventListener("change", () => {
  for (const details of unfolded) details.open = false;
  unfolded = printing.matches ? [...document.querySelectorAll(".folded:not([open])")] : [];
  for (const details of unfolded) details.open = true;
});
