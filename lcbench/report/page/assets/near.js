// Work that waits until its element comes near the window: a long page opens at once.
const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) start(target);
}, { rootMargin: "600px" });

function whenNear(element, work) {
  element.waiting = work;
  near.unobserve(element);  // so that the observer looks anew
  near.observe(element);
}

function start(element) {
  const work = element.waiting;
  near.unobserve(element);
  element.waiting = null;
  work?.();
}

// Start a library that waits in the page as text, by the id of its element.
function startLibrary(id) {
  const waiting = document.getElementById(id);
  if (waiting.type === "text/plain") waiting.replaceWith(Object.assign(document.createElement("script"), { id, textContent: waiting.textContent }));
}
