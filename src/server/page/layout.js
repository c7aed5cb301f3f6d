// Where words and arcs stand. The tree is above the words, and the other arcs are below them, so that the tree stays the
// same whichever of them are shown. Lengths are pixels.

const GAP = 20; // between words
const MARGIN = 14;
const SLOT = 11; // between the ends of two arcs at a word
const LEVEL = 29; // between an arc and the next higher one,
const LEAST_LEVEL = 17; // and where there are very many
const LEAST_BEND = 11;
const WIDEST_BEND = 34;
const LABEL_ROOM = 8;

const left = (arc) => Math.min(arc.head, arc.dependent);
const right = (arc) => Math.max(arc.head, arc.dependent);
const overlap = (a, b) => left(a) < right(b) && left(b) < right(a);
const contains = (outer, inner) => left(outer) <= left(inner) && right(inner) <= right(outer);

/** Shorter arcs come first. An arc is above all that are inside it, and on another level than all that cross it. */
function withLevels(arcs) {
  const placed = [];
  for (const arc of [...arcs].sort((a, b) => right(a) - left(a) - (right(b) - left(b)))) {
    const near = placed.filter((other) => overlap(other, arc));
    const taken = new Set(near.map((other) => other.level));
    let level = 1 + Math.max(0, ...near.filter((other) => contains(arc, other)).map((other) => other.level));
    while (taken.has(level)) ++level;
    placed.push({ ...arc, level });
  }
  return placed;
}

/** Gives the ends of arcs places side by side: first the arcs to the left, lowest first, then those to the right. */
function withFeet(arcs, count) {
  const most = new Array(count).fill(0);
  for (let word = 0; word < count; ++word) {
    const end = (arc) => (arc.head === word ? "headFoot" : "dependentFoot");
    const far = (arc) => (arc.head === word ? arc.dependent : arc.head);
    const here = arcs.filter((arc) => arc.head === word || arc.dependent === word);
    const order = (arc) => (far(arc) < word ? arc.level - 1e6 : 1e6 - arc.level);
    here.sort((a, b) => order(a) - order(b));
    here.forEach((arc, k) => { arc[end(arc)] = (k - (here.length - 1) / 2) * SLOT; });
    most[word] = here.length;
  }
  return most;
}

const footAt = (arc, word) => (arc.head === word ? arc.headFoot : arc.dependentFoot);

function centres(widths, arcs) {
  const x = [MARGIN + widths[0] / 2];
  for (let word = 1; word < widths.length; ++word) {
    x[word] = x[word - 1] + (widths[word - 1] + widths[word]) / 2 + GAP;
    for (const arc of arcs) {
      if (right(arc) !== word) continue;
      const reach = x[left(arc)] + footAt(arc, left(arc)) + arc.labelWidth + LABEL_ROOM + 2 * LEAST_BEND;
      x[word] = Math.max(x[word], reach - footAt(arc, word));
    }
  }
  return x;
}

/** The middle of an arc's flat part, or a place near it where no end of a higher arc runs through the label. */
function labelPlace(arc, from, to, bend, crossing) {
  const middle = (from + to) / 2;
  const slack = Math.abs(to - from) / 2 - bend - arc.labelWidth / 2;
  const isFree = (x) => crossing.every((other) => Math.abs(other - x) > arc.labelWidth / 2 + LABEL_ROOM / 2);
  for (let shift = 0; shift <= slack; shift += 4) {
    for (const x of [middle + shift, middle - shift]) if (isFree(x)) return x;
  }
  return middle;
}

function curve(arc, from, to, ground, upwards, step, crossing) {
  const top = ground - upwards * (8 + step * arc.level);
  const span = Math.abs(to - from);
  const bend = Math.min(WIDEST_BEND, Math.max(LEAST_BEND, (span - arc.labelWidth - LABEL_ROOM) / 2), span / 2);
  const way = Math.sign(to - from);
  const end = ground - upwards * 3;
  const at = (...numbers) => numbers.map((v) => v.toFixed(1)).join(" ");
  return {
    path: `M${at(from, ground)}C${at(from, top, from, top, from + way * bend, top)}H${at(to - way * bend)}` +
      `C${at(to, top, to, top, to, end - upwards * 3)}`,
    point: `M${at(to - 4, end - upwards * 3)}L${at(to + 4, end - upwards * 3)}L${at(to, end + upwards * 4)}Z`,
    labelX: labelPlace(arc, from, to, bend, crossing),
    labelY: top,
  };
}

/**
 * The places of words and arcs. widths: of the root's sign and the words; above, below: arcs {head, dependent,
 * labelWidth}; band: the height of the words. With mirrored the sentence runs from right to left.
 */
export function layOut({ widths, above, below, band, mirrored }) {
  const upper = withLevels(above);
  const lower = withLevels(below);
  const feet = [withFeet(upper, widths.length), withFeet(lower, widths.length)];
  const room = widths.map((width, k) => Math.max(width, SLOT * feet[0][k], SLOT * feet[1][k]));
  const x = centres(room, [...upper, ...lower]);
  const width = x.at(-1) + room.at(-1) / 2 + MARGIN;
  const highest = (arcs) => Math.max(0, ...arcs.map((arc) => arc.level));
  const step = (arcs) => Math.max(LEAST_LEVEL, Math.min(LEVEL, LEVEL + 6 - highest(arcs)));
  const ground = 24 + step(upper) * highest(upper);
  const floor = ground + band;
  const height = floor + (lower.length > 0 ? 24 + step(lower) * highest(lower) : 4);
  const side = (position) => (mirrored ? width - position : position);
  const ends = (arc) => [side(x[arc.head] + arc.headFoot), side(x[arc.dependent] + arc.dependentFoot)];
  const drawn = (arcs, level, upwards) => arcs.map((arc) => {
    const crossing = arcs.filter((other) => other.level > arc.level).flatMap(ends);
    return { ...arc, ...curve(arc, ...ends(arc), level, upwards, step(arcs), crossing) };
  });
  return {
    width, height, ground, floor,
    x: x.map(side),
    room,
    above: drawn(upper, ground, 1),
    below: drawn(lower, floor, -1),
  };
}
