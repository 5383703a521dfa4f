// Scores that contradict the errors, which the judge is asked about. Same as `protocols/spans/contradictions.py`, with the
// thresholds that come with the HIT; tested by `tests/unit/protocols/spans/contradictions.json`.

import { letterOf } from "../keys.js";

/** @type {Severity[]} */
const MINOR = ["minor"];
/** @type {Severity[]} */
const MAJOR = ["major", "critical"];

/** @param {OutputSaid} output @param {Severity[]} severities */
const count = ({ spans }, severities) => spans.filter((span) => severities.includes(span.severity)).length;

/** @param {OutputSaid} output @param {ContradictionRule} rule */
function ofOutput(output, rule) {
  const { score } = output;
  if (score === null) return null;
  if (!count(output, [...MINOR, ...MAJOR])) return score < rule.error_free_from ? "low_without_error" : null;
  if (score >= rule.perfect_from) return "perfect_with_error";
  return score >= rule.major_below && count(output, MAJOR) ? "high_with_major" : null;
}

// Returns whether one output has a higher score with at least as many errors of each severity and more of one.
/** @param {OutputSaid} better @param {OutputSaid} worse @param {number} margin */
function isBetterWithMore(better, worse, margin) {
  if (better.score === null || worse.score === null) return false;
  if (better.score <= worse.score || better.score - worse.score < margin) return false;
  const more = [MINOR, MAJOR].map((severities) => count(better, severities) - count(worse, severities));
  return Math.min(...more) >= 0 && Math.max(...more) > 0;
}

/** @typedef {{ kind: string, outputs: number[] }} Contradiction of two outputs, the one with the higher score first */

// The contradictions of an answer, first by output, then by pair.
/** @param {SpansAnswer} answer @param {ContradictionRule} rule @returns {Contradiction[]} */
export function contradictions({ outputs }, rule) {
  const list = outputs.flatMap((output, index) => {
    const kind = ofOutput(output, rule);
    return kind ? [{ kind, outputs: [index] }] : [];
  });
  outputs.forEach((better, output) => {
    outputs.forEach((worse, other) => {
      if (!isBetterWithMore(better, worse, rule.margin)) return;
      list.push({ kind: "better_with_more_errors", outputs: [output, other] });
    });
  });
  return list;
}

/** @typedef {{ id: string, output: number, phrase: Phrase }} ToAsk `id`: the same for the same question */

// The questions and the outputs to check. An output with a question of its own is not included in questions about pairs.
/** @param {SpansAnswer} answer @param {ContradictionRule} rule @returns {ToAsk[]} */
export function questions(answer, rule) {
  const all = contradictions(answer, rule);
  const alone = all.filter(({ outputs }) => outputs.length === 1).map(({ outputs: [output] }) => output);
  return all
    .filter(({ outputs }) => outputs.length === 1 || !outputs.some((output) => alone.includes(output)))
    .map(({ kind, outputs }) => {
      const [output, other] = outputs;
      const { score } = answer.outputs[output];
      const values =
        outputs.length === 1
          ? { letter: letterOf(output), score }
          : { better: letterOf(output), worse: letterOf(other), score, other_score: answer.outputs[other].score };
      const key = answer.outputs.length === 1 ? `${kind}_alone` : kind;
      return { id: [kind, ...outputs].join(" "), output, phrase: { key, values } };
    });
}
