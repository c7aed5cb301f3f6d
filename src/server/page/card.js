// One sentence on the page: its picture, what can be done with it, and the panels beside it.
import { saidOf } from "./corrections.js";
import { html, refill } from "./dom.js";
import { bar, bestPanel, entropyPanel, samplesPanel, wordsPanel } from "./panels.js";
import { draw, emphasise } from "./picture.js";
import { fixed, headsOf, isRightToLeft, nameOf, percent, relationsOf } from "./words.js";

const PANELS = {
  words: ["Words", wordsPanel], best: ["Best trees", bestPanel], samples: ["Samples", samplesPanel],
  entropy: ["Uncertainty", entropyPanel],
};

const TOUCH = matchMedia("(pointer: coarse)");

/** The number and the alternatives of a word's head, for a small box that follows the pointer or the focus. */
function tip(view, number) {
  const { sentence } = view;
  const rows = headsOf(sentence, number).slice(0, 5).filter(([, p], k) => k === 0 || p >= 0.001);
  return [
    html("p", {}, html("bdi", {}, html("strong", {}, nameOf(sentence, number))), " depends on"),
    html("ul", {}, rows.map(([head, p]) => html("li", { class: head === view.heads[number - 1] ? "now" : "" },
      html("bdi", { class: "name" }, nameOf(sentence, head)), bar(p), html("span", { class: "digits" }, percent(p))))),
    html("p", { class: "muted" }, `Entropy ${fixed(sentence.words[number - 1].entropy ?? 0)} nats`),
  ];
}

export class Card {
  #page;
  #index;
  #signature = "";
  #picked = null;
  #focus = 1;
  #preview = null;
  #changed = new Set();
  #drawing = null;
  #scroll = html("div", { class: "scroll picture", tabindex: 0, role: "region" });
  #hint = html("p", { class: "hint" });
  #chips = html("ul", { class: "chips" });
  #heading = html("h2", {});
  #sureness = html("span", { class: "sureness" });
  #panel = html("div", { class: "panel" });

  constructor(page, index) {
    this.#page = page;
    this.#index = index;
    this.#scroll.setAttribute("aria-label", `Picture of sentence ${index + 1}`);
    this.element = html("section", { class: "card", "aria-label": `Sentence ${index + 1}` },
      html("header", {}, this.#heading, this.#sureness), this.#hint, this.#scroll, this.#chips, this.#panel);
  }

  /** The picture as it is now. */
  get drawing() {
    return this.#drawing;
  }

  /** Draws the sentence again where anything about it is new. changed: words that a correction gave another head. */
  show(sentence, changed = null) {
    const { state } = this.#page;
    const corrections = state.corrections.filter((one) => one.sentence === this.#index);
    const isOpen = state.sentence === this.#index;
    const signature = JSON.stringify([sentence, corrections, state.threshold, isOpen && state.tab, this.#page.answer.sentences.length]);
    if (changed !== null) this.#changed = changed;
    if (signature === this.#signature && changed === null) return;
    const isOther = this.sentence === undefined ||
      sentence.words.map((word) => word.form).join("\n") !== this.sentence.words.map((word) => word.form).join("\n");
    this.sentence = sentence;
    this.#signature = signature;
    this.#preview = null;
    if (isOther) {
      this.#changed = new Set();
      this.#picked = null;
      this.#focus = 1;
    }
    this.#render();
  }

  #view() {
    const { state } = this.#page;
    const best = this.sentence.words.map((word) => word.head);
    const heads = this.#preview ?? best;
    const act = (kind) => (word, head) => this.#correct(kind, word, head);
    return {
      sentence: this.sentence, index: this.#index, threshold: state.threshold, corrections: state.corrections,
      best, heads, relations: relationsOf(this.sentence, heads), picked: this.#picked, focus: this.#focus, changed: this.#changed,
      rightToLeft: isRightToLeft(this.sentence.words.map((word) => word.form).join(" ")),
      pick: (number) => this.#pick(number),
      require: act("require"), forbid: act("forbid"), withdraw: act("withdraw"),
      hover: (number, place) => this.#hover(number, place),
      focused: (number, place) => this.#focused(number, place),
      show: (heads) => this.#show(heads),
      use: (heads) => this.#page.use(this.#index, heads),
      drawAgain: () => this.#page.drawAgain(),
    };
  }

  #render() {
    const view = this.#view();
    const { log_probability: logProbability, words } = this.sentence;
    this.#heading.textContent = this.#page.answer.sentences.length > 1 ? `Sentence ${this.#index + 1}` : "Tree";
    this.#sureness.textContent = logProbability === undefined || logProbability === null ? "" :
      `${percent(Math.exp(logProbability))} sure of this tree · ${words.length} ${words.length === 1 ? "word" : "words"}`;
    this.element.classList.toggle("open", this.#page.state.sentence === this.#index);
    this.#renderPicture(view);
    this.#renderChips(view);
    this.#renderPanel(view);
  }

  #renderPicture(view) {
    this.#drawing = draw(view);
    this.#scroll.dir = view.rightToLeft ? "rtl" : "ltr";
    refill(this.#scroll, this.#drawing);
    this.#hint.replaceChildren(...this.#hintNow(view));
    this.#hint.classList.toggle("asking", this.#picked !== null || this.#preview !== null);
  }

  /** What can be done next, in words. */
  #hintNow(view) {
    const button = (text, onclick) => html("button", { type: "button", class: "plain", onclick }, text);
    if (this.#picked !== null) {
      const name = html("strong", {}, html("bdi", {}, nameOf(this.sentence, this.#picked)));
      return ["Which word does ", name, ` depend on? ${TOUCH.matches ? "Tap" : "Click"} it; ROOT is at the ` +
        `${view.rightToLeft ? "right" : "left"}. `, button("Cancel", () => this.#pick(this.#picked))];
    }
    if (this.#preview !== null) return ["This is not the best tree. ", button("Back to the best one", () => this.#show(null))];
    return [TOUCH.matches
      ? "Is an arc wrong? Tap a word, then the word it should depend on. Below, ✕ rules an arc out."
      : "Is an arc wrong? Click a word, then the word it should depend on. Right-click an arc to rule it out."];
  }

  #renderChips(view) {
    const chips = view.corrections.filter((one) => one.sentence === this.#index && one.word <= this.sentence.words.length);
    refill(this.#chips, chips.map((one) => html("li", { class: `chip ${one.kind}` },
      html("span", {}, one.kind === "require" ? "✓ " : "✕ ", html("bdi", {}, nameOf(this.sentence, one.word)),
        one.kind === "require" ? " depends on " : " does not depend on ", html("bdi", {}, nameOf(this.sentence, one.head))),
      html("button", { type: "button", class: "icon", "data-key": `chip ${one.word} ${one.head}`, title: "Take this back",
                       "aria-label": `Take back: ${nameOf(this.sentence, one.word)}, ${nameOf(this.sentence, one.head)}`,
                       onclick: () => view.withdraw(one.word, one.head) }, "×"))));
    this.#chips.hidden = chips.length === 0;
  }

  #renderPanel(view) {
    const { state } = this.#page;
    if (state.sentence !== this.#index) {
      return refill(this.#panel, html("button", { type: "button", class: "plain more", "data-key": "open",
        "aria-expanded": "false", onclick: () => this.#page.open(this.#index) }, "Words, best trees, samples …"));
    }
    const names = Object.keys(PANELS);
    const id = `panel-${this.#index}`;
    const turn = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const next = names[(names.indexOf(state.tab) + step + names.length) % names.length];
      this.element.querySelector(`[data-key="tab ${next}"]`).focus();
      this.#page.turnTo(next);
    };
    refill(this.#panel,
      html("div", { class: "tabs", role: "tablist", "aria-label": "Views of the sentence", onkeydown: turn }, names.map((name) =>
        html("button", { type: "button", role: "tab", id: `${id}-${name}`, "data-key": `tab ${name}`, "data-tab": name,
                         "aria-selected": name === state.tab ? "true" : "false", "aria-controls": id,
                         tabindex: name === state.tab ? 0 : -1, onclick: () => this.#page.turnTo(name) }, PANELS[name][0]))),
      html("div", { role: "tabpanel", id, "aria-labelledby": `${id}-${state.tab}` }, PANELS[state.tab][1](view)));
  }

  /** A click on a word: the first one picks it, the second one gives it a head; the same word again lets it go. */
  #pick(number) {
    this.#changed = new Set();
    if (this.#picked === null || this.#picked === number) {
      this.#picked = this.#picked === number || number === 0 ? null : number;
      this.#focus = number;
      this.#preview = null;
      this.#hover(null);
      this.#page.open(this.#index);
      this.#render();
      return;
    }
    this.#correct("require", this.#picked, number);
  }

  #correct(kind, word, head) {
    if (word === 0 || head === undefined || word === head) return;
    this.#picked = null;
    this.#hover(null);
    const isThere = saidOf(this.#page.state.corrections, this.#index, word, head) === kind;
    this.#render();
    this.#page.correct({ sentence: this.#index, word, head, kind: isThere && kind === "forbid" ? "withdraw" : kind });
  }

  #show(heads) {
    this.#preview = heads;
    this.#picked = null;
    this.#render();
  }

  #hover(number, place) {
    if (this.#drawing !== null) emphasise(this.#drawing, this.#picked ?? (number === 0 ? null : number));
    const content = number === null || number === 0 || this.#picked !== null ? null : tip(this.#view(), number);
    this.#page.tip.show(content, place);
  }

  #focused(number, place) {
    this.#drawing.querySelector('[data-word][tabindex="0"]')?.setAttribute("tabindex", "-1");
    place.setAttribute("tabindex", "0");
    this.#focus = number;
    if (place.matches(":focus-visible")) this.#hover(number, place);
  }
}
