// A text in pieces, each of which looks alike throughout: with an error or none, differing or not, chosen or not.

/** @param {Stretch} stretch @param {number} place */
const covers = ({ start, end }, place) => start <= place && place < end;

/**
 * @typedef {object} Shown
 * @property {string} text
 * @property {(Stretch & { severity: Severity, span: number })[]} errors
 * @property {Run[] | null} runs where it differs from the others
 * @property {Stretch | null} chosen
 * @property {string[] | null} lines
 */

/** @param {{ text: string }[]} parts @returns {Stretch[]} */
function stretchesOf(parts) {
  let end = 0;
  return parts.map(({ text }) => ({ start: end, end: (end += text.length) }));
}

// For each line its pieces; all in one where there are no lines.
/** @param {Shown} shown @returns {Piece[][]} */
export function piecesOf({ text, errors, runs, chosen, lines }) {
  const differing = runs ? stretchesOf(runs).filter((_, index) => runs[index].differs) : [];
  const rows = lines ? stretchesOf(lines.map((line) => ({ text: line }))) : [{ start: 0, end: text.length }];
  const stretches = [...errors, ...differing, ...rows, ...(chosen ? [chosen] : [])];
  const cuts = new Set([0, text.length, ...stretches.flatMap(({ start, end }) => [start, end])]);
  const places = [...cuts].sort((one, other) => one - other);
  const pieces = places.slice(0, -1).map((start, index) => {
    const end = places[index + 1];
    const error = errors.find((each) => covers(each, start));
    return {
      text: text.slice(start, end),
      start,
      end,
      span: error?.span ?? null,
      severity: error?.severity ?? null,
      differs: differing.some((each) => covers(each, start)),
      chosen: Boolean(chosen && covers(chosen, start)),
    };
  });
  return rows.map((row) => pieces.filter(({ start }) => covers(row, start)));
}
