// Categories of errors on two levels, as lists to choose from. Independent of the screen.

const BETWEEN = "/";

// The categories of the first level, each with those below it. One that can be chosen although others are below it is
// the first of them.
/** @param {string[]} categories @returns {Level[]} */
export function levelsOf(categories) {
  /** @type {Map<string, Level>} */
  const levels = new Map();
  for (const category of categories) {
    const [name, lower] = category.split(BETWEEN);
    const level = levels.get(name) ?? { name, category: "", below: [] };
    levels.set(name, level);
    if (lower === undefined) level.category = category;
    else level.below.push({ name: lower, category, below: [] });
  }
  for (const level of levels.values()) {
    if (level.category && level.below.length) level.below.unshift({ ...level, below: [] });
  }
  return [...levels.values()];
}
