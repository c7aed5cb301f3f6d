// What a person has required and forbidden. A list of corrections never changes; each function makes a new one.
// A correction is {sentence, word, head, kind}, where kind is "require" or "forbid".

const about = (a, b) => a.sentence === b.sentence && a.word === b.word;
const same = (a, b) => about(a, b) && a.head === b.head;

/** The list with one more correction. What would contradict it goes: another head, or the same arc the other way. */
export function corrected(list, correction) {
  const kept = list.filter((old) => {
    if (same(old, correction)) return false;
    return !(correction.kind === "require" && old.kind === "require" && about(old, correction));
  });
  return [...kept, correction];
}

/** The list without what is said about one arc. */
export function withdrawn(list, correction) {
  return list.filter((old) => !same(old, correction));
}

/** What is said about an arc: "require", "forbid" or undefined. */
export function saidOf(list, sentence, word, head) {
  return list.find((one) => same(one, { sentence, word, head }))?.kind;
}

const words = (sentence) => sentence.words.map((word) => word.form).join("\u0000");

/** The corrections of sentences that are still there after the text has changed, under their new numbers. */
export function carriedOver(list, before, after) {
  const places = new Map();
  after.forEach((sentence, k) => {
    const key = words(sentence);
    places.set(key, [...(places.get(key) ?? []), k]);
  });
  const moved = new Map();
  before.forEach((sentence, k) => moved.set(k, places.get(words(sentence))?.shift()));
  return list.filter((one) => moved.get(one.sentence) !== undefined)
    .map((one) => ({ ...one, sentence: moved.get(one.sentence) }));
}

/** Remembers lists of corrections, so that each can be taken back and done again. */
export class History {
  #past = [];
  #future = [];

  /** Call this before a change, with what there was. */
  remember(list) {
    this.#past.push(list);
    this.#future = [];
  }

  undo(list) {
    this.#future.push(list);
    return this.#past.pop();
  }

  redo(list) {
    this.#past.push(list);
    return this.#future.pop();
  }

  /** Forgets the last change, which led nowhere, and returns what there was before it. */
  retract() {
    return this.#past.pop();
  }

  clear() {
    this.#past = [];
    this.#future = [];
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }
}
