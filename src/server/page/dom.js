// Makes elements of HTML and SVG. Words of users only ever become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element of HTML: html("button", {class: "plain", onclick: run}, "Run"). */
export function html(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** An element of SVG, in the same way. */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

/** One of the page's own elements, which index.html has. */
export function own(id) {
  return document.getElementById(id);
}

/** Replaces what is in an element. What had the keyboard's focus is known again by its data-key, and stays in its place. */
export function refill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const top = focused?.getBoundingClientRect().top;
  element.replaceChildren(...children.flat());
  if (focused?.dataset.key === undefined) return;
  for (const candidate of element.querySelectorAll("[data-key]")) {
    if (candidate.dataset.key !== focused.dataset.key) continue;
    candidate.focus({ preventScroll: true });
    return scrollBy(0, candidate.getBoundingClientRect().top - top);
  }
}
