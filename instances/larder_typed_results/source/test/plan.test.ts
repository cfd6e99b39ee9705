import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULTS } from '../src/config.js';
import { formatMeal, mealTitle, parsePlan } from '../src/kitchen.js';

const read = (text: string) => parsePlan(text, 'plan.txt', DEFAULTS);

test('meals come in the order of days and slots', () => {
  const meals = read('2024-03-05 dinner b\n2024-03-04 dinner c x6 # guests\n2024-03-04 lunch d\n');
  assert.deepEqual(
    meals.map((meal) => [meal.date, meal.slot, meal.recipe, meal.serves, meal.line]),
    [
      ['2024-03-04', 'lunch', 'd', null, 3],
      ['2024-03-04', 'dinner', 'c', 6, 2],
      ['2024-03-05', 'dinner', 'b', null, 1],
    ],
  );
});

test('a plan with a bad line is refused', () => {
  const fails = (text: string, message: string) =>
    assert.throws(() => read(text), { name: 'LineError', message: `plan.txt:${message}` });
  fails('2024-03-04 lunch', '1: expected "day slot recipe [xN]"');
  fails('\n2024-02-30 lunch a', '2: "2024-02-30" is not a day such as 2024-03-04');
  fails('2024-03-04 tea a', '1: unknown slot "tea" (breakfast, lunch, dinner)');
  fails('2024-03-04 lunch a b', '1: "b" is not a number of servings such as x6');
  fails('2024-03-04 lunch a\n2024-03-04 lunch b', '2: a second lunch on 2024-03-04');
});

test('meals are written as they are read', () => {
  const [meal] = read('2024-03-04  lunch  soup  x3');
  assert.equal(formatMeal(meal), '2024-03-04 lunch soup x3');
  assert.equal(mealTitle(meal), 'Mon 2024-03-04');
});
