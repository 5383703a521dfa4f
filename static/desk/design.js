// Synchronizes the slider and the field of a design's budget, in judgments, hours or money.

const budgetForm = /** @type {HTMLFormElement | null} */ (document.querySelector("#budget-form"));
const slider = /** @type {HTMLInputElement | null} */ (document.querySelector("#budget-range"));

if (budgetForm && slider) {
  const number = /** @type {HTMLInputElement} */ (budgetForm.querySelector("#id_budget"));
  const unit = /** @type {HTMLSelectElement} */ (budgetForm.querySelector("#id_unit"));
  const rate = /** @type {HTMLInputElement} */ (budgetForm.querySelector("#id_rate"));
  let before = perJudgment();

  /** @returns {number} The cost of a judgment in this unit; 0 if unknown. */
  function perJudgment() {
    const hours = Number(data("hoursEach"));
    if (unit.value === "hours") return hours;
    return unit.value === "money" ? hours * Number(rate.value) : 1;
  }

  /** @param {string} name */
  function data(name) {
    const figures = /** @type {HTMLElement} */ (document.querySelector("#design-forecast"));
    return figures.dataset[name] ?? "0";
  }

  /** The end of the slider in its unit; `keep`: the budget stays the same number of judgments. */
  function scale(keep = false) {
    const cost = perJudgment();
    if (!slider || !cost) return;
    const most = Number(data("most")) * cost;
    slider.step = unit.value === "judgments" || most >= 100 ? "1" : "0.1";
    slider.max = String(Math.ceil(most));
    if (keep && before) {
      const budget = (Number(number.value) / before) * cost;
      number.value = budget >= 100 ? budget.toFixed(0) : String(Number(budget.toFixed(1)));
    }
    slider.value = number.value;
    describe();
    before = cost;
  }

  function describe() {
    const words = unit.selectedOptions[0]?.textContent ?? "";
    slider?.setAttribute("aria-valuetext", `${number.value} ${words}`);
  }

  // Before htmx reads the form.
  budgetForm.addEventListener(
    "input",
    (event) => {
      if (event.target === slider) number.value = slider.value;
      else if (event.target === number) slider.value = number.value;
      else scale(true);
      describe();
    },
    { capture: true },
  );
  document.addEventListener("htmx:afterSettle", () => scale());
  describe();
}
