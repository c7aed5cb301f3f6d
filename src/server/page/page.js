// The page: asks the service as a person types and corrects, shows what it answers, and keeps the address up to date.
import { Card } from "./card.js";
import { carriedOver, corrected, History, withdrawn } from "./corrections.js";
import { html, own, refill } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { EXPORTS } from "./exports.js";
import { fromFragment, INITIAL, KINDS, toFragment } from "./link.js";
import { InputError } from "./scores.js";
import { answerTo, models, ServiceError, TokenError, useToken } from "./service.js";
import { watchTheme } from "./theme.js";
import { Tip } from "./tip.js";
import { Toast } from "./toast.js";
import { percent, quoted } from "./words.js";

const PAUSE = 250; // how long nobody types before the service is asked, in milliseconds
const CARDS_AT_ONCE = 40;

/** What decides which sentences there are. */
const source = ({ kind, model, input }) => [kind, model, input].join("\n");

class Page {
  state = { ...INITIAL };
  answer = { model: "", sentences: [] };
  tip = new Tip();
  #toast = new Toast();
  #history = new History();
  #cards = [];
  #shown = CARDS_AT_ONCE;
  #timer = 0;
  #request = null;
  #asked = ""; // the input of the last answer, and its model
  #answered = []; // the corrections of the last answer
  #written = ""; // the fragment that this page itself has written

  async start() {
    watchTheme(own("theme"));
    this.#listen();
    this.tellModels(await models().catch(() => []));
    this.load(fromFragment(location.hash) ?? { ...INITIAL, kind: this.#firstKind, input: EXAMPLES[this.#firstKind][0][1] });
  }

  #firstKind = "text";

  /** Offers the models that there are. A page for models without a tokenizer begins with CoNLL-U. */
  tellModels(list) {
    if (list.length > 0 && list.every((model) => model.pipeline === false)) this.#firstKind = "conllu";
    own("model").replaceChildren(...list.map((model) => html("option", { value: model.name, selected: model.default === true }, model.name)));
    own("model-field").hidden = list.length < 2;
  }

  /** Takes over a whole state, as that of a link. */
  load(state) {
    this.state = { ...state };
    this.#history.clear();
    this.#asked = source(state);
    own("input").value = state.input;
    if (state.model !== "") own("model").value = state.model;
    this.#showControls();
    this.#ask();
  }

  #listen() {
    own("input").addEventListener("input", () => this.#typed(own("input").value));
    for (const kind of KINDS) own(`kind-${kind}`).addEventListener("change", () => this.#turnToKind(kind));
    own("model").addEventListener("change", () => this.#change({ model: own("model").value }));
    own("token-field").addEventListener("submit", async (event) => {
      event.preventDefault();
      useToken(own("token").value.trim());
      this.tellModels(await models().catch(() => []));
      this.#ask();
    });
    own("root").addEventListener("change", () => this.#change({ root: own("root").value }));
    own("threshold").addEventListener("input", () => {
      this.state.threshold = Number(own("threshold").value) / 100;
      this.#showControls();
      this.#showCards();
    });
    own("undo").addEventListener("click", () => this.undo());
    own("redo").addEventListener("click", () => this.redo());
    for (const name of Object.keys(EXPORTS)) own(`export-${name}`).addEventListener("click", () => this.#export(name));
    document.addEventListener("keydown", (event) => this.#keyPressed(event));
    document.addEventListener("scroll", () => this.tip.show(null), { capture: true, passive: true });
    addEventListener("hashchange", () => {
      const state = fromFragment(location.hash);
      if (state !== null && location.hash.slice(1) !== this.#written) this.load(state);
    });
  }

  #keyPressed(event) {
    if (event.key === "Escape") own("exports").open = false;
    if (!(event.ctrlKey || event.metaKey) || event.target.matches("textarea, input[type=password]")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) this.redo();
    else this.undo();
  }

  #typed(input) {
    this.state.input = input;
    this.#history.clear();
    this.#showControls();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), PAUSE);
  }

  #turnToKind(kind) {
    const isExample = this.state.input.trim() === "" || EXAMPLES[this.state.kind].some(([, text]) => text === this.state.input);
    this.load({ ...this.state, kind, input: isExample ? EXAMPLES[kind][0][1] : this.state.input, corrections: [], sentence: 0 });
  }

  #change(part) {
    Object.assign(this.state, part);
    this.#ask();
  }

  /** Asks for the trees of the present state. A newer question makes an older one void. */
  async #ask(after = () => null) {
    clearTimeout(this.#timer);
    this.#request?.abort();
    const request = this.#request = new AbortController();
    const state = { ...this.state };
    const isEdited = source(state) !== this.#asked;
    own("sentences").setAttribute("aria-busy", "true");
    try {
      // Which sentences there are is not known before the answer, so the first question about a new text has no corrections.
      const answer = await answerTo(isEdited ? { ...state, corrections: [] } : state, request.signal);
      if (request.signal.aborted) return;
      if (isEdited) {
        this.state.corrections = carriedOver(state.corrections, this.answer.sentences, answer.sentences);
        this.#asked = source(state);
        if (this.state.corrections.length > 0) return await this.#ask(after);
      }
      this.#take(answer);
      after(answer);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof ServiceError || error instanceof InputError)) console.error(error);
      if (error instanceof TokenError) own("token-field").hidden = false;
      if (after(null, error) !== true) this.#fail(error.message);
    } finally {
      if (this.#request === request) own("sentences").removeAttribute("aria-busy");
    }
  }

  #take(answer) {
    own("problem").hidden = true;
    own("sentences").classList.remove("old");
    this.answer = answer;
    this.#answered = this.state.corrections;
    this.state.sentence = Math.min(this.state.sentence, Math.max(0, answer.sentences.length - 1));
    this.#showControls();
    this.#showCards();
  }

  #fail(message) {
    own("problem").textContent = message;
    own("problem").hidden = false;
    own("sentences").classList.add("old");
  }

  #showCards(changed = new Map()) {
    const count = this.answer.sentences.length;
    if (this.state.sentence >= this.#shown) this.#shown = this.state.sentence + 1;
    const shown = Math.min(count, this.#shown);
    this.#cards.length = Math.min(this.#cards.length, shown);
    while (this.#cards.length < shown) this.#cards.push(new Card(this, this.#cards.length));
    this.#cards.forEach((card, k) => card.show(this.answer.sentences[k], changed.get(k) ?? null));
    const elements = this.#cards.map((card) => card.element);
    if (own("sentences").childElementCount !== elements.length ||
        elements.some((element, k) => own("sentences").children[k] !== element)) {
      refill(own("sentences"), elements);
    }
    own("empty").hidden = count > 0;
    own("more").hidden = shown >= count;
    own("more").onclick = () => {
      this.#shown += CARDS_AT_ONCE;
      this.#showCards();
    };
    this.writeAddress();
  }

  #showControls() {
    const { kind, input, threshold, root } = this.state;
    own(`kind-${kind}`).checked = true;
    own("input").dir = kind === "text" ? "auto" : "ltr";
    own("input").classList.toggle("code", kind !== "text");
    own("root-field").hidden = kind !== "scores";
    own("root").value = root;
    own("threshold").value = String(Math.round(100 * threshold));
    own("threshold-value").textContent = percent(threshold);
    own("undo").disabled = !this.#history.canUndo;
    own("redo").disabled = !this.#history.canRedo;
    own("examples").replaceChildren(...EXAMPLES[kind].map(([name, text]) => html("button", {
      type: "button", class: "plain", "aria-pressed": text === input ? "true" : "false",
      onclick: () => this.load({ ...this.state, input: text, corrections: [], sentence: 0 }),
    }, name)));
    this.writeAddress();
  }

  writeAddress() {
    this.#written = toFragment(this.state);
    try {
      history.replaceState(null, "", `#${this.#written}`);
    } catch {
      // Browsers refuse very long addresses and very many changes; the page works without.
    }
    this.#written = location.hash.slice(1);
  }

  get openCard() {
    return this.#cards[this.state.sentence];
  }

  open(index) {
    if (this.state.sentence === index) return;
    this.state.sentence = index;
    this.#showCards();
  }

  turnTo(tab) {
    this.state.tab = tab;
    this.#showCards();
  }

  drawAgain() {
    this.#change({ seed: this.state.seed + 1 });
  }

  /** Requires, forbids or allows one arc. */
  correct({ kind, ...arc }) {
    const { corrections } = this.state;
    this.#correctTo(kind === "withdraw" ? withdrawn(corrections, arc) : corrected(corrections, { ...arc, kind }), arc.sentence);
  }

  /** Requires all arcs of a tree that the best one does not have. */
  use(sentence, heads) {
    const best = this.answer.sentences[sentence].words.map((word) => word.head);
    const wanted = heads.map((head, k) => ({ sentence, word: k + 1, head, kind: "require" })).filter((one) => best[one.word - 1] !== one.head);
    this.#correctTo(wanted.reduce(corrected, this.state.corrections), sentence);
  }

  undo() {
    if (this.#history.canUndo) this.#goTo(this.#history.undo(this.state.corrections), "Taken back. ");
  }

  redo() {
    if (this.#history.canRedo) this.#goTo(this.#history.redo(this.state.corrections), "Done again. ");
  }

  #correctTo(corrections, sentence) {
    this.#history.remember(this.state.corrections);
    this.#goTo(corrections, "", sentence);
  }

  #goTo(corrections, prefix, sentence) {
    const before = this.answer.sentences;
    this.state.corrections = corrections;
    this.#showControls();
    this.#ask((answer, error) => {
      if (answer !== null) return this.#tellChanges(before, answer.sentences, prefix);
      if (sentence === undefined) return false;
      // What has no answer is taken back, so that the corrections are those of the trees that are shown.
      while (this.#history.canUndo && this.state.corrections !== this.#answered) this.state.corrections = this.#history.retract();
      this.#showControls();
      this.#toast.say(`That was not done. ${error.message}`);
      return true;
    });
  }

  #tellChanges(before, after, prefix) {
    const changed = new Map();
    const told = [];
    after.forEach((sentence, k) => {
      const words = sentence.words.filter((word, i) => before[k]?.words[i]?.head !== word.head);
      changed.set(k, new Set(words.map((word) => word.id)));
      told.push(...words.map((word) => `${quoted(sentence, word.id)} now depends on ${quoted(sentence, word.head)}`));
    });
    this.#showCards(changed);
    const all = told.slice(0, 3).join("; ") + (told.length > 3 ? `; and ${told.length - 3} more` : "");
    this.#toast.say(prefix + (told.length === 0 ? "The best tree is the same; probabilities are new." : `${all}.`),
      this.#history.canUndo ? () => this.undo() : null);
  }

  async #export(name) {
    own("exports").open = false;
    try {
      this.#toast.say(await EXPORTS[name](this));
    } catch (error) {
      this.#toast.say(error.message);
    }
  }
}

new Page().start();
