// The state of the page as the fragment of its address, which browsers do not send to the server, and back.

export const KINDS = ["text", "conllu", "scores"];
export const TABS = ["words", "best", "samples", "entropy"];

export const INITIAL = Object.freeze({
  kind: "text", input: "", model: "", root: "single", threshold: 0.1, corrections: [], sentence: 0, tab: "words", seed: 1,
});

const number = (text, least, most, otherwise) => {
  const value = Number(text);
  return text !== null && text !== "" && value >= least && value <= most ? value : otherwise;
};
const choice = (text, all, otherwise) => (all.includes(text) ? text : otherwise);

function arcs(text, kind) {
  const whole = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;
  return (text ?? "").split(",").map((arc) => whole.exec(arc)).filter((found) => found).map(([, sentence, word, head]) => (
    { sentence: Number(sentence), word: Number(word), head: Number(head), kind }));
}

/** The fragment, with what differs from the initial state: text=She+waved.&require=0.1.2 (sentence, word, head). */
export function toFragment(state) {
  const fields = new URLSearchParams();
  fields.set(state.kind, state.input);
  const list = (kind) => state.corrections.filter((one) => one.kind === kind)
    .map((one) => `${one.sentence}.${one.word}.${one.head}`).join(",");
  const others = {
    model: state.model, root: state.root, require: list("require"), forbid: list("forbid"),
    threshold: state.threshold, sentence: state.sentence, tab: state.tab, seed: state.seed,
  };
  for (const [name, value] of Object.entries(others)) {
    if (value !== "" && value !== INITIAL[name]) fields.set(name, String(value));
  }
  return fields.toString();
}

/** The state of a fragment, or null where there is none; what makes no sense is as at the beginning. */
export function fromFragment(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const kind = KINDS.find((name) => fields.has(name));
  if (kind === undefined) return null;
  return {
    kind,
    input: fields.get(kind),
    model: fields.get("model") ?? INITIAL.model,
    root: choice(fields.get("root"), ["single", "multi"], INITIAL.root),
    threshold: number(fields.get("threshold"), 0.01, 1, INITIAL.threshold),
    corrections: [...arcs(fields.get("require"), "require"), ...arcs(fields.get("forbid"), "forbid")],
    sentence: Math.trunc(number(fields.get("sentence"), 0, 1e6, INITIAL.sentence)),
    tab: choice(fields.get("tab"), TABS, INITIAL.tab),
    seed: Math.trunc(number(fields.get("seed"), 0, 1e9, INITIAL.seed)),
  };
}
