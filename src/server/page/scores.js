// Reads score matrices: JSON objects {"words": […], "scores": […]} as `kirchhoff tree` reads them, or a plain table.

export class InputError extends Error {}

function lines(text) {
  try {
    const whole = JSON.parse(text);
    if (!Array.isArray(whole)) return [whole];
    return Array.isArray(whole[0]) ? [{ scores: whole }] : whole;
  } catch {
    return text.split("\n").map((line, k) => [line.trim(), k + 1]).filter(([line]) => line !== "").map(([line, number]) => {
      try {
        return JSON.parse(line);
      } catch (error) {
        throw new InputError(`Line ${number} of the scores is not JSON (${error.message}). Write one object a line, ` +
          'such as {"words":["hello"],"scores":[[null,0],[null,null]]}.');
      }
    });
  }
}

const IMPOSSIBLE = /^(null|-|_|-?inf(inity)?)$/i;

/** A table: a row for each head, the root first; columns are dependents. Its first line may have the words. */
function table(text) {
  const rows = text.split("\n").map((line) => line.trim().split(/[\s,;]+/)).filter((row) => row[0] !== "");
  const isCell = (cell) => IMPOSSIBLE.test(cell) || Number.isFinite(Number(cell));
  const words = rows[0]?.every(isCell) ? undefined : rows.shift();
  const scores = rows.map((row, i) => row.map((cell) => {
    if (IMPOSSIBLE.test(cell)) return null;
    if (isCell(cell)) return Number(cell);
    throw new InputError(`Row ${i + 1} of the table has “${cell}” where a number belongs, or - for an impossible arc.`);
  }));
  return { words, scores };
}

function checked(graph, k) {
  const where = `Graph ${k + 1}`;
  const { scores, words } = graph ?? {};
  if (!Array.isArray(scores) || scores.length < 2) {
    throw new InputError(`${where} needs "scores": a matrix with a row for the root and one for each word.`);
  }
  const crooked = scores.findIndex((row) => !Array.isArray(row) || row.length !== scores.length);
  if (crooked >= 0) {
    throw new InputError(`${where}: row ${crooked + 1} of ${scores.length} rows has ${scores[crooked]?.length ?? "no"} ` +
      `numbers; a matrix of scores has as many columns as rows, the root's among them.`);
  }
  if (words !== undefined && (!Array.isArray(words) || words.length !== scores.length - 1)) {
    throw new InputError(`${where} has ${words?.length ?? "no"} words for ${scores.length - 1} rows after the root's.`);
  }
  return {
    scores,
    words: words?.map(String) ?? scores.slice(1).map((_, i) => `word ${i + 1}`),
    require: graph.require ?? [],
    forbid: graph.forbid ?? [],
  };
}

/** The graphs of a text, each with scores, words and the constraints that it came with. */
export function readScores(text) {
  const graphs = /^\s*[{[]/.test(text) ? lines(text) : [table(text)];
  return graphs.map(checked);
}
