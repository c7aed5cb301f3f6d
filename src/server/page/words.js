// How words and numbers are written: hostile characters visibly, probabilities shortly, scripts in their direction.

// Control characters, and those that would turn the direction of what follows them.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;
const LETTER = /\p{L}/gu;
const LONGEST = 40;

/** A word as it is shown: characters that would act instead of being seen become their code, such as [U+202E]. */
export function shown(text) {
  return text.replace(HIDDEN, (c) => `[U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** A word where there is little room. */
export function shortened(text) {
  const characters = [...shown(text)];
  return characters.length > LONGEST ? characters.slice(0, LONGEST - 1).join("") + "…" : characters.join("");
}

/** Whether most letters of a text are of a script that is written from right to left. */
export function isRightToLeft(text) {
  const count = (pattern) => (text.match(pattern) ?? []).length;
  return 2 * count(RIGHT_TO_LEFT) > count(LETTER);
}

/** A probability in per cent; neither certainty nor impossibility is claimed by rounding. */
export function percent(p) {
  if (p <= 0) return "0%";
  if (p < 0.001) return "<0.1%";
  if (p > 0.9995) return p >= 1 ? "100%" : ">99.9%";
  return p < 0.095 || p > 0.99 ? `${(100 * p).toFixed(1)}%` : `${Math.round(100 * p)}%`;
}

/** A number with so many digits after the point, and an ordinary minus sign. */
export function fixed(x, digits = 2) {
  return (Math.abs(x) < 0.5 * 10 ** -digits ? 0 : x).toFixed(digits);
}

/** The word with this number, or the root. */
export function nameOf(sentence, number) {
  return number === 0 ? "the root" : shortened(sentence.words[number - 1].form);
}

/** The same within a sentence of the page's own; the marks around the word also keep its direction to itself. */
export function quoted(sentence, number) {
  return number === 0 ? "the root" : `“\u2068${nameOf(sentence, number)}\u2069”`;
}

/** The heads that a word may have, as [number, probability], the most probable first. */
export function headsOf(sentence, word) {
  const row = sentence.marginals?.[word - 1] ?? [];
  return row.map((p, head) => [head, p]).filter(([head]) => head !== word).sort((a, b) => b[1] - a[1]);
}

/** The relations of a tree's words; empty where nobody knows them. */
export function relationsOf(sentence, heads) {
  const has = (tree) => tree.heads.every((head, k) => head === heads[k]);
  const best = { heads: sentence.words.map((word) => word.head), deprels: sentence.words.map((word) => word.deprel) };
  const known = [best, ...sentence.k_best ?? [], ...sentence.samples ?? []].find(has);
  return heads.map((_, k) => known?.deprels?.[k] ?? "");
}
