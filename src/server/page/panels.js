// What stands beside a picture: a table of words, the best trees, samples, and how uncertain each word is.
import { saidOf } from "./corrections.js";
import { html } from "./dom.js";
import { SAMPLES } from "./service.js";
import { fixed, headsOf, nameOf, percent, relationsOf, shortened, shown } from "./words.js";

const MOST_WORDS_FOR_ALL_HEADS = 60;

/** A bar as long as a number between 0 and 1. */
export function bar(p, kind = "") {
  const fill = html("span", { class: "fill" });
  fill.style.width = `${(100 * Math.min(1, Math.max(0, p))).toFixed(1)}%`;
  return html("span", { class: `bar ${kind}`, "aria-hidden": "true" }, fill);
}

function headChoice(view, number) {
  const { sentence, index } = view;
  const all = headsOf(sentence, number);
  const head = view.best[number - 1];
  const offered = all.length <= MOST_WORDS_FOR_ALL_HEADS ? all : all.filter(([h, p]) => p >= 0.001 || h === head);
  const mark = { require: "✓ ", forbid: "✕ " };
  return html("select", {
    "data-key": `head of ${number}`, "aria-label": `Head of ${nameOf(sentence, number)}, word ${number}`,
    onchange: (event) => view.require(number, Number(event.target.value)),
  }, offered.map(([h, p]) => html("option", { value: h, selected: h === head },
    `${mark[saidOf(view.corrections, index, number, h)] ?? ""}${nameOf(sentence, h)}${h === 0 ? "" : ` (${h})`} · ${percent(p)}`)));
}

function wordRow(view, number) {
  const word = view.sentence.words[number - 1];
  const head = view.best[number - 1];
  const required = saidOf(view.corrections, view.index, number, head) === "require";
  const name = nameOf(view.sentence, number);
  const p = view.sentence.marginals?.[number - 1]?.[head] ?? word.probability ?? 1;
  const others = headsOf(view.sentence, number).filter(([h, q]) => h !== head && q >= 0.01).slice(0, 3);
  return html("tr", { class: required ? "required" : "" },
    html("td", { class: "digits" }, String(number)),
    html("th", { scope: "row" }, html("bdi", {}, shown(word.form))),
    html("td", { class: "muted tag" }, word.upos || "–"),
    html("td", {}, headChoice(view, number)),
    html("td", { class: "actions" },
      html("button", {
        type: "button", class: "icon keep", "data-key": `keep ${number}`, "aria-pressed": required ? "true" : "false",
        "aria-label": `Keep ${nameOf(view.sentence, head)} as the head of ${name}`, title: "This head is right: keep it",
        onclick: () => (required ? view.withdraw(number, head) : view.require(number, head)),
      }, "✓"),
      html("button", {
        type: "button", class: "icon reject", "data-key": `reject ${number}`,
        "aria-label": `${nameOf(view.sentence, head)} is not the head of ${name}`, title: "This head is wrong: rule it out",
        onclick: () => view.forbid(number, head),
      }, "✕")),
    html("td", { class: "muted" }, word.deprel || "–"),
    html("td", { class: "measure" }, bar(p), html("span", { class: "digits" }, percent(p))),
    html("td", { class: "others" }, others.length === 0 ? "–" :
      others.map(([h, q]) => html("span", { class: "other" }, html("bdi", {}, nameOf(view.sentence, h)), ` ${percent(q)}`))));
}

/** The same as the picture as a table, in which heads can be chosen. */
export function wordsPanel(view) {
  const heading = (text) => html("th", { scope: "col", class: text === "Tag" ? "tag" : "" }, text);
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Words and their heads", "data-key": "table" },
    html("table", { class: "words", dir: view.rightToLeft ? "rtl" : "ltr" },
      html("caption", { class: "hidden" }, `The words of sentence ${view.index + 1} and their heads`),
      html("thead", {}, html("tr", {}, heading("#"), heading("Word"), heading("Tag"), heading("Head"),
        heading("Correct it"), heading("Relation"), heading("Probability"), heading("Also possible"))),
      html("tbody", {}, view.sentence.words.map((_, k) => wordRow(view, k + 1)))));
}

/** What a tree has that the best one has not: other heads, other relations. */
function difference(view, tree) {
  const { sentence, best } = view;
  const relations = relationsOf(sentence, tree.heads);
  const bestRelations = relationsOf(sentence, best);
  const changed = tree.heads.map((head, k) => [head, k + 1]).filter(([head, word]) =>
    head !== best[word - 1] || relations[word - 1] !== bestRelations[word - 1]);
  if (changed.length === 0) return html("span", { class: "muted" }, "the best tree");
  const relation = (word) => relations[word - 1] !== "" &&
    html("span", { class: "muted" }, ` as ${shortened(relations[word - 1])}`);
  return changed.slice(0, 4).map(([head, word]) => html("span", { class: "other" },
    html("bdi", {}, nameOf(sentence, word)), html("span", { class: "muted" }, " depends on "),
    html("bdi", {}, nameOf(sentence, head)), relation(word)))
    .concat(changed.length > 4 ? html("span", { class: "muted" }, `and ${changed.length - 4} more`) : []);
}

const equal = (a, b) => a.every((head, k) => head === b[k]);

function treeRow(view, tree, k, share, label) {
  const { heads } = tree;
  const isShown = equal(heads, view.heads);
  const isBest = equal(heads, view.best);
  return html("li", { class: isShown ? "tree-row shown" : "tree-row" },
    html("button", {
      type: "button", class: "show", "data-key": `show ${k}`, "aria-pressed": isShown ? "true" : "false",
      onclick: () => view.show(isShown ? null : heads),
    }, html("span", { class: "rank digits" }, String(k + 1)), bar(share), html("span", { class: "digits share" }, label),
    html("span", { class: "difference" }, difference(view, tree))),
    !isBest && html("button", { type: "button", class: "use", "data-key": `use ${k}`, onclick: () => view.use(heads) }, "Use this tree"));
}

/** The best trees with their probabilities. */
export function bestPanel(view) {
  const trees = view.sentence.k_best ?? [];
  const p = (tree) => Math.exp(tree.log_probability);
  const mass = trees.reduce((sum, tree) => sum + p(tree), 0);
  return html("div", {},
    html("p", { class: "explain" }, `The ${trees.length === 1 ? "only tree" : `${trees.length} best trees`}; together ` +
      `${percent(Math.min(1, mass))} of the probability. Choose one to see it in the picture.`),
    html("ol", { class: "trees" }, trees.map((tree, k) => treeRow(view, tree, k, p(tree), percent(p(tree))))));
}

/** Random trees with how often each was drawn. */
export function samplesPanel(view) {
  const trees = view.sentence.samples ?? [];
  const total = trees.reduce((sum, tree) => sum + tree.count, 0);
  return html("div", {},
    html("p", { class: "explain" }, `${total} trees drawn at random, ${trees.length} different. `,
      html("button", { type: "button", class: "plain", "data-key": "draw again", onclick: view.drawAgain }, `Draw another ${SAMPLES}`)),
    html("ol", { class: "trees" }, trees.slice(0, 50).map((tree, k) =>
      treeRow(view, tree, k, tree.count / total, `${tree.count} of ${total}`))),
    trees.length > 50 && html("p", { class: "muted" }, `and ${trees.length - 50} more that are rare`));
}

/** How uncertain each word's head is, in words of the page and in nats. */
export function entropyPanel(view) {
  const { sentence } = view;
  const entropies = sentence.words.map((word, k) => word.entropy ??
    (sentence.marginals?.[k] ?? []).reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0));
  const most = Math.max(Math.LN2, ...entropies);
  const like = (entropy) => `≈ ${fixed(Math.exp(entropy), 1)} heads`;
  return html("div", {},
    html("p", { class: "explain" }, `The entropy of the whole tree is ${fixed(sentence.entropy ?? 0)} nats: as uncertain as a choice ` +
      `among ${fixed(Math.exp(sentence.entropy ?? 0), 1)} equally likely trees. Words with long bars deserve a look.`),
    html("ul", { class: "entropies" }, sentence.words.map((word, k) => html("li", {},
      html("button", { type: "button", class: "show", "data-key": `entropy ${k}`, onclick: () => view.pick(k + 1),
                       "aria-label": `${nameOf(sentence, k + 1)}: ${fixed(entropies[k])} nats. Choose its head` },
      html("bdi", { class: "name" }, shown(word.form)), bar(entropies[k] / most, "warm"),
      html("span", { class: "digits share" }, fixed(entropies[k])), html("span", { class: "muted" }, like(entropies[k])))))));
}
