// What there is to try for each kind of input.

const conllu = (words) => words.map(([form, lemma, upos, xpos, feats], k) =>
  [k + 1, form, lemma, upos, xpos, feats, "_", "_", "_", "_"].join("\t")).join("\n") + "\n";

const SHE = ["She", "she", "PRON", "PRP", "Case=Nom|Gender=Fem|Number=Sing|Person=3|PronType=Prs"];
const THE = ["the", "the", "DET", "DT", "Definite=Def|PronType=Art"];
const noun = (form) => [form, form, "NOUN", "NN", "Number=Sing"];
const verb = (form, lemma) => [form, lemma, "VERB", "VBD", "Mood=Ind|Tense=Past|VerbForm=Fin"];

export const EXAMPLES = {
  text: [
    ["Telescope", "She saw the man with the telescope."],
    ["Two sentences", "The doctor's bag is in the car. He wondered whether the ice was thick."],
    ["A long one", "Because the engine failed, the sailors walked home and carried the heavy boxes from the ship to the old " +
      "warehouse near the river."],
  ],
  conllu: [
    ["Telescope", conllu([SHE, verb("saw", "see"), THE, noun("man"), ["with", "with", "ADP", "IN", "_"], THE, noun("telescope")])],
    ["Sailors", conllu([THE, ["sailors", "sailor", "NOUN", "NNS", "Number=Plur"], verb("carried", "carry"), THE, noun("box"),
      ["to", "to", "ADP", "IN", "_"], THE, noun("ship")])],
  ],
  scores: [
    ["Flying arrow", '{"words": ["Time", "flies", "like", "an", "arrow"],\n "scores": [\n' +
      "  [null,  2.6,  5.0,  4.9, -2.0, -2.2],\n  [null, null,  0.0, -0.3, -0.5,  2.2],\n  [null,  4.6, null,  1.0, -0.3,  4.3],\n" +
      "  [null, -0.3,  3.9, null,  0.0,  4.1],\n  [null, -0.5, -0.3, -0.3, null,  0.1],\n  [null, -0.7,  0.2,  3.1,  5.2, null]]}\n"],
    ["A table", "she  saw  it\n-    1.0  4.0  0.5\n-    -    0.5  0.2\n-    3.0  -    3.5\n-    0.1  0.4  -\n"],
  ],
};
