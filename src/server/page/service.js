// Asks the service, and brings its answers for sentences and for score matrices into one form.
import { readScores } from "./scores.js";

export const BEST_TREES = 5;
export const SAMPLES = 100;

export class ServiceError extends Error {}

/** The service wants a token that it has not got. */
export class TokenError extends ServiceError {}

let token = "";

/** Sends this token with every request from now on. */
export function useToken(text) {
  token = text;
}

const authorized = (headers) => (token === "" ? headers : { ...headers, Authorization: `Bearer ${token}` });

async function ask(path, body, type, signal) {
  let response;
  try {
    response = await fetch(path, { method: "POST", headers: authorized({ "Content-Type": type }), body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServiceError("The program behind this page does not answer. Is `kirchhoff serve` still running?");
  }
  const text = await response.text();
  if (response.ok) return text;
  if (response.status === 401) throw new TokenError("This service wants a token. Type it at the top of the page.");
  let message;
  try {
    message = JSON.parse(text).error.message;
  } catch {
    message = `The service answered with status ${response.status}.`;
  }
  throw new ServiceError(message);
}

let known = [];

/** The models that the service has. */
export async function models() {
  const response = await fetch("v1/models", { headers: authorized({}) });
  known = response.ok ? (await response.json()).models : [];
  return known;
}

/** Whether no word of a treebank has a tag, while the model could give it one. */
function wantsTags(state) {
  const model = known.find(({ name, default: isDefault }) => (state.model === "" ? isDefault : name === state.model));
  const rows = state.input.split("\n").filter((line) => /^\d+\t/.test(line));
  return state.kind === "conllu" && model?.pipeline === true && rows.every((row) => row.split("\t")[3] === "_");
}

function request(state) {
  const body = { [state.kind]: state.input, constraints: state.corrections, seed: state.seed };
  if (wantsTags(state)) body.tag = true;
  return state.model === "" ? body : { ...body, model: state.model };
}

const entropyOf = (row) => row.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);

/** The marginals of `kirchhoff tree`, by head, as rows by word; labels of an arc are summed. */
function byWord(marginals) {
  const total = (cell) => (Array.isArray(cell) ? cell.reduce((sum, p) => sum + p, 0) : cell ?? 0);
  return marginals.slice(1).map((_, word) => marginals.map((row) => total(row[word + 1])));
}

function sentenceOf(graph, tree, decoded, sampled) {
  const failed = [tree, decoded, sampled].find((answer) => answer.error !== undefined);
  if (failed) throw new ServiceError(failed.error);
  const marginals = byWord(tree.marginals);
  const [best] = decoded.trees;
  return {
    text: graph.words.join(" "),
    words: graph.words.map((form, k) => ({
      id: k + 1, form, upos: "", head: best.heads[k], deprel: best.labels === undefined ? "" : `label ${best.labels[k]}`,
      probability: marginals[k][best.heads[k]], entropy: entropyOf(marginals[k]),
    })),
    log_probability: best.log_prob,
    entropy: tree.entropy,
    marginals,
    k_best: decoded.trees.map((one) => ({ heads: one.heads, log_probability: one.log_prob })),
    samples: sampled.trees.map((one) => ({ heads: one.heads, count: one.count })),
  };
}

async function askScores(state, signal) {
  const graphs = readScores(state.input);
  const body = graphs.map((graph, k) => {
    const list = (kind) => [...graph[kind], ...state.corrections.filter((one) => one.sentence === k && one.kind === kind)
      .map((one) => [one.head, one.word])];
    return JSON.stringify({ scores: graph.scores, require: list("require"), forbid: list("forbid") });
  }).join("\n") + "\n";
  const verbs = [
    "tree?want=marginals,entropy", `decode?k-best=${BEST_TREES}`, `sample?count=${SAMPLES}&counts=true&seed=${state.seed}`,
  ];
  const answers = await Promise.all(verbs.map(async (verb) => {
    const text = await ask(`v1/${verb}&root=${state.root}`, body, "application/jsonl", signal);
    return text.trim().split("\n").map((line) => JSON.parse(line));
  }));
  return { model: "", sentences: graphs.map((graph, k) => sentenceOf(graph, ...answers.map((lines) => lines[k]))) };
}

/** What there is to show: {model, sentences}, each sentence with words, marginals, k_best and samples. */
export async function answerTo(state, signal) {
  if (state.input.trim() === "") return { model: "", sentences: [] };
  if (state.kind === "scores") return askScores(state, signal);
  const body = { ...request(state), probabilities: true, k_best: BEST_TREES, samples: SAMPLES, format: "json" };
  return JSON.parse(await ask("v1/parse", JSON.stringify(body), "application/json", signal));
}

/** The corrected trees as CoNLL-U. Only the service knows all columns; matrices have nothing but words and heads. */
export async function asConllu(state, answer) {
  if (state.kind !== "scores") {
    return ask("v1/parse", JSON.stringify({ ...request(state), probabilities: true, format: "conllu" }), "application/json");
  }
  const form = (word) => word.form.replace(/[\t\r\n]/g, " ");
  return answer.sentences.map((sentence) => sentence.words.map((word) => [
    word.id, form(word), "_", "_", "_", "_", word.head, word.head === 0 ? "root" : "dep", "_",
    `ArcProb=${word.probability.toFixed(4)}`,
  ].join("\t")).join("\n") + "\n\n").join("");
}
