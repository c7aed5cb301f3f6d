// Hands over what the page shows: as a picture, CoNLL-U or JSON in a file, or as a link.
import { html, svg } from "./dom.js";
import { asConllu } from "./service.js";

// What of a picture's style is written into it, so that it looks the same without the page.
const STYLE = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font-family", "font-size",
  "font-weight", "text-anchor", "letter-spacing", "direction"];

function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = html("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A picture with all its style in it, as text; what is there for pointers alone is left out. */
export function asSvg(drawing) {
  const copy = drawing.cloneNode(true);
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, k) => {
    for (const { name } of [...element.attributes]) {
      if (/^(role|tabindex|data-.*|aria-.*)$/.test(name)) element.removeAttribute(name);
    }
    if (!["path", "text", "rect"].includes(element.tagName)) return;
    const style = getComputedStyle(originals[k]);
    for (const name of STYLE) element.setAttribute(name, style.getPropertyValue(name));
  });
  copy.querySelectorAll("title, .reach, .box").forEach((element) => element.remove());
  copy.removeAttribute("class");
  copy.querySelectorAll("[class]").forEach((element) => element.removeAttribute("class"));
  copy.prepend(svg("rect", { width: "100%", height: "100%", fill: getComputedStyle(drawing.closest(".card")).backgroundColor }));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

/** The ways to hand it over, by the name of the button. Each returns what to tell the person. */
export const EXPORTS = {
  svg(page) {
    const card = page.openCard;
    if (card === undefined) return "There is no picture yet.";
    save(`tree-${page.state.sentence + 1}.svg`, "image/svg+xml", asSvg(card.drawing));
    return `Saved the picture of sentence ${page.state.sentence + 1}.`;
  },
  async conllu(page) {
    save("trees.conllu", "text/plain;charset=utf-8", await asConllu(page.state, page.answer));
    return "Saved the trees, with your corrections, as CoNLL-U.";
  },
  json(page) {
    const { kind, input, model, corrections } = page.state;
    save("trees.json", "application/json", `${JSON.stringify({ kind, input, model, corrections, ...page.answer }, null, 1)}\n`);
    return "Saved trees, probabilities and samples as JSON.";
  },
  async link(page) {
    page.writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      return "Copied the link. It holds the text and your corrections.";
    } catch {
      return "The address of this page is the link; it holds the text and your corrections.";
    }
  },
};
