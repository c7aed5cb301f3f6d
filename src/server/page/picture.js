// Draws a sentence: its tree above the words, what else may be below them, each arc as dark and wide as it is probable.
import { saidOf } from "./corrections.js";
import { svg } from "./dom.js";
import { layOut } from "./layout.js";
import { isRightToLeft, nameOf, percent, shortened, shown } from "./words.js";

const BAND = 52; // the height of words and tags
const ROOT = "ROOT";

const canvas = document.createElement("canvas").getContext("2d");
function widthOf(text, size, weight = 400) {
  canvas.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text).width;
}

/** The arcs above and below the words: the tree that is shown, and the others that the threshold lets through. */
function arcsOf(view) {
  const { sentence, heads, best, relations, threshold, corrections, index } = view;
  const above = heads.map((head, k) => {
    const said = saidOf(corrections, index, k + 1, head);
    const relation = relations[k];
    const p = sentence.marginals?.[k]?.[head] ?? sentence.words[k].probability ?? 1;
    const sure = said === "require";
    return { head, dependent: k + 1, p, said, differs: head !== best[k],
             label: `${sure ? "✓ " : ""}${shortened(relation)}${sure ? "" : ` ${percent(p)}`}`.trim() };
  });
  const below = [];
  (sentence.marginals ?? []).forEach((row, k) => row.forEach((p, head) => {
    if (head === k + 1 || head === heads[k]) return;
    const said = saidOf(corrections, index, k + 1, head);
    if (p < threshold && said !== "forbid") return;
    below.push({ head, dependent: k + 1, p, said, label: said === "forbid" ? "✕" : percent(p) });
  }));
  for (const arc of [...above, ...below]) arc.labelWidth = widthOf(arc.label, 11.5, 600);
  return { above, below };
}

function arcTitle(view, arc) {
  const names = `${nameOf(view.sentence, arc.dependent)} depends on ${nameOf(view.sentence, arc.head)}`;
  if (arc.said === "forbid") return `Ruled out: ${names}. Right-click to allow it again.`;
  const what = arc.said === "require" ? "required" : percent(arc.p);
  return `${names}: ${what}. Click to require it, right-click to rule it out.`;
}

function arcGroup(view, arc, kind, ...content) {
  const classes = ["arc", kind, arc.said ?? "", arc.differs ? "differs" : ""];
  if (view.changed.has(arc.dependent) && kind === "tree") classes.push("changed");
  return svg("g", {
    class: classes.filter(Boolean).join(" "),
    "data-head": arc.head, "data-dependent": arc.dependent, "aria-hidden": "true",
    onclick: () => view.require(arc.dependent, arc.head),
    oncontextmenu: (event) => {
      event.preventDefault();
      view.forbid(arc.dependent, arc.head);
    },
  }, svg("title", {}, arcTitle(view, arc)), content);
}

function drawLine(view, arc, kind) {
  const shade = (arc.said === "forbid" ? 0.9 : 0.32 + 0.68 * arc.p).toFixed(2);
  return arcGroup(view, arc, kind,
    svg("path", { class: "reach", d: arc.path }),
    svg("path", { class: "line", d: arc.path, "stroke-width": (1.1 + 1.9 * arc.p).toFixed(2), "stroke-opacity": shade }),
    svg("path", { class: "point", d: arc.point, "fill-opacity": shade }));
}

/** Labels are drawn after all lines, so that no line runs through one. */
function drawLabel(view, arc, kind) {
  return arcGroup(view, arc, kind,
    svg("rect", { class: "plate", x: (arc.labelX - arc.labelWidth / 2 - 3).toFixed(1), y: (arc.labelY - 7).toFixed(1),
                  width: (arc.labelWidth + 6).toFixed(1), height: 14 }),
    svg("text", { class: "number", x: arc.labelX.toFixed(1), y: (arc.labelY + 4).toFixed(1) }, arc.label));
}

/** What a screen reader says of a word. */
function spoken(view, number) {
  const { sentence, picked } = view;
  if (picked !== null && picked !== number) {
    const p = sentence.marginals?.[picked - 1]?.[number] ?? 0;
    return `${nameOf(sentence, number)}: ${percent(p)} as the head of ${nameOf(sentence, picked)}. Press Enter to require it, ` +
      "Delete to rule it out.";
  }
  if (number === 0) return "The root of the sentence";
  const word = sentence.words[number - 1];
  const head = view.heads[number - 1];
  const p = sentence.marginals?.[number - 1]?.[head] ?? word.probability ?? 1;
  return [shown(word.form), `word ${number}`, word.upos,
    `${view.relations[number - 1]} of ${nameOf(sentence, head)}, ${percent(p)}`].filter(Boolean).join(", ");
}

/** Signs and digits follow the sentence's direction, words their own letters'. */
function directionOf(view, text) {
  return view.rightToLeft && (isRightToLeft(text) || !/\p{L}/u.test(text)) ? "rtl" : "ltr";
}

function drawWord(view, place, number, text, size) {
  const { sentence, picked } = view;
  const word = sentence.words[number - 1];
  const isCandidate = picked !== null && picked !== number;
  const p = isCandidate ? sentence.marginals?.[picked - 1]?.[number] ?? 0 : 0;
  const note = isCandidate ? percent(p) : word?.upos ?? "";
  const classes = ["word", number === 0 ? "root" : "", picked === number ? "picked" : "", isCandidate ? "candidate" : "",
    view.changed.has(number) ? "changed" : ""];
  const x = place.x[number];
  const box = svg("rect", { class: "box", x: (x - place.room[number] / 2 - 6).toFixed(1), y: place.ground + 7,
    width: (place.room[number] + 12).toFixed(1), height: BAND - 13, rx: 8 });
  if (isCandidate) box.setAttribute("fill-opacity", (0.07 + 0.38 * p).toFixed(2));
  return svg("g", {
    class: classes.filter(Boolean).join(" "),
    "data-word": number, "data-key": `word ${number}`, role: "button", tabindex: number === view.focus ? 0 : -1,
    "aria-label": spoken(view, number), "aria-pressed": picked === number ? "true" : "false",
    onclick: () => view.pick(number),
    oncontextmenu: (event) => {
      event.preventDefault();
      view.forbid(picked ?? number, picked === null ? view.heads[number - 1] : number);
    },
    onpointerenter: (event) => view.hover(number, event.currentTarget),
    onpointerleave: () => view.hover(null),
    onfocus: (event) => view.focused(number, event.currentTarget),
    onblur: () => view.hover(null),
  },
  box,
  svg("text", { class: "form", x: x.toFixed(1), y: place.ground + 26, "font-size": size, direction: directionOf(view, text) }, text),
  svg("text", { class: "note", x: x.toFixed(1), y: place.ground + 41 }, note));
}

function keyPressed(view, event, drawing) {
  const number = Number(event.target.closest?.("[data-word]")?.dataset.word ?? NaN);
  if (Number.isNaN(number) || event.ctrlKey || event.metaKey || event.altKey) return;
  const last = view.sentence.words.length;
  const forwards = view.rightToLeft ? "ArrowLeft" : "ArrowRight";
  const backwards = view.rightToLeft ? "ArrowRight" : "ArrowLeft";
  const to = { [forwards]: Math.min(last, number + 1), [backwards]: Math.max(0, number - 1), Home: 0, End: last }[event.key];
  if (to !== undefined) {
    const target = drawing.querySelector(`[data-word="${to}"]`);
    target.focus();
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  } else if (event.key === "Enter" || event.key === " ") {
    view.pick(number);
  } else if (event.key === "Delete" || event.key === "Backspace") {
    view.forbid(view.picked ?? number, view.picked === null ? view.heads[number - 1] : number);
  } else if (event.key === "Escape" && view.picked !== null) {
    view.pick(view.picked);
  } else {
    return;
  }
  event.preventDefault();
}

/**
 * The picture of a sentence. The view has sentence, index, heads (the tree that is shown), best, threshold, corrections,
 * picked, focus, changed, rightToLeft, and what to do: pick, require, forbid, hover, focused.
 */
export function draw(view) {
  const { above, below } = arcsOf(view);
  const texts = [ROOT, ...view.sentence.words.map((word) => shortened(word.form))];
  const sizes = texts.map((_, k) => (k === 0 ? 11 : 17));
  const widths = texts.map((text, k) => Math.max(widthOf(text, sizes[k], k === 0 ? 700 : 500),
    widthOf(k === 0 ? "" : view.sentence.words[k - 1].upos ?? "", 10.5), 38));
  const place = layOut({ widths, above, below, band: BAND, mirrored: view.rightToLeft });
  const drawing = svg("svg", {
    class: `drawing${view.picked === null ? "" : " picking"}`,
    width: Math.ceil(place.width), height: Math.ceil(place.height),
    viewBox: `0 0 ${Math.ceil(place.width)} ${Math.ceil(place.height)}`,
    role: "group", "aria-label": `Tree of sentence ${view.index + 1}. Arrow keys go from word to word, Enter picks one.`,
    direction: view.rightToLeft ? "rtl" : "ltr",
    onkeydown: (event) => keyPressed(view, event, drawing),
  },
  [drawLine, drawLabel].map((part) => svg("g", {},
    place.below.map((arc) => part(view, arc, "other")), place.above.map((arc) => part(view, arc, "tree")))),
  svg("g", {}, texts.map((text, k) => drawWord(view, place, k, text, sizes[k]))));
  return drawing;
}

/** Makes the arcs of one word stand out, or of none. */
export function emphasise(drawing, number) {
  drawing.classList.toggle("emphasised", number !== null);
  for (const arc of drawing.querySelectorAll(".arc")) {
    arc.classList.toggle("own", number !== null && Number(arc.dataset.dependent) === number);
  }
}
