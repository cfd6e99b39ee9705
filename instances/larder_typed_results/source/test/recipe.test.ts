import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Files } from '../src/files.js';
import {
  formatRecipe,
  loadUnits,
  parseIngredient,
  parseRecipe,
  scaleRecipe,
} from '../src/kitchen.js';
import { Kitchen, SOUP, STEW } from './kitchen.js';

const units = loadUnits(new Files(new Kitchen().folder));
const read = (text: string) => parseRecipe(text, 'recipes/x.recipe', units);
const ingredient = (text: string) => parseIngredient(text, 'x', 1, units);

function fails(text: string, message: string): void {
  assert.throws(() => read(text), { name: 'LineError', message: `recipes/x.recipe:${message}` });
}

test('reads title, headers, ingredients and steps', () => {
  const recipe = read(STEW);
  assert.equal(recipe.id, 'x');
  assert.equal(recipe.title, 'Bean stew');
  assert.equal(recipe.serves, 2);
  assert.equal(recipe.minutes, 70);
  assert.deepEqual(recipe.tags, ['stew']);
  assert.equal(recipe.source, 'a neighbour');
  assert.equal(recipe.ingredients.length, 4);
  assert.deepEqual(recipe.steps, ['Fry the garlic in the oil.', 'Add the rest and simmer.']);
});

test('a step goes on over lines', () => {
  const recipe = read('# A\nserves: 1\n- salt\n1. Wait\n   and see.\n2. Eat.');
  assert.deepEqual(recipe.steps, ['Wait and see.', 'Eat.']);
});

test('comments and empty lines do not count', () => {
  const recipe = read('// mine\n\n# A\nserves: 1\n\n// spice\n- salt');
  assert.equal(recipe.ingredients[0].line, 7);
});

test('an ingredient has amount, unit, name and note', () => {
  assert.deepEqual(ingredient('500 g potatoes, peeled'), {
    amount: 500,
    unit: 'g',
    name: 'potatoes',
    note: 'peeled',
    ref: null,
    optional: false,
    line: 1,
  });
});

test('an ingredient without a unit is counted', () => {
  const entry = ingredient('3 large eggs');
  assert.equal(entry.unit, 'piece');
  assert.equal(entry.name, 'large eggs');
});

test('an ingredient may have no amount and be optional', () => {
  const entry = ingredient('black pepper (optional)');
  assert.equal(entry.amount, null);
  assert.equal(entry.optional, true);
});

test('an ingredient may refer to a recipe', () => {
  const entry = ingredient('500 ml @vegetable-stock');
  assert.equal(entry.ref, 'vegetable-stock');
  assert.equal(entry.name, 'vegetable stock');
});

test('bad ingredients are told with their line', () => {
  const prefix = '# A\nserves: 1\n';
  fails(`${prefix}- 3`, '3: the ingredient has no name');
  fails(`${prefix}- 0 g salt`, '3: an amount has to be more than zero');
  fails(`${prefix}- 1-2 leeks`, '3: ranges are not supported; write one amount');
  fails(`${prefix}- 1 l @Stock!`, '3: "@Stock!" is not a reference such as @vegetable-stock');
  fails(`${prefix}- @stock`, '3: the reference @stock needs an amount');
});

test('bad headers are told with their line', () => {
  fails('# A\nserves: four\n', '2: serves: "four" is not a whole number from 1 on');
  fails('# A\nserves: 2\nserves: 3\n', '3: the header "serves" is given twice');
  fails('# A\ntime: soon\n', '2: time: "soon" is not a time such as 1 h 30 min');
  fails('# A\ncolour: red\n', '2: expected a header (serves, time, tags, source)');
});

test('bad structure is told', () => {
  fails('', '1: the file is empty');
  fails('Soup', '1: expected a title such as "# Leek soup"');
  fails('# A\n- salt', '1: the header "serves" is missing');
  fails('# A\nserves: 1', '2: no ingredients');
  fails('# A\nserves: 1\n- salt\nand so on', '4: cannot understand "and so on"');
  fails('# A\nserves: 1\n- salt\n1. x\n3. y', '5: expected step 2, found 3');
  fails('# A\nserves: 1\n- salt\n1. x\n- pepper', '5: an ingredient after the first step');
});

test('scaling changes amounts, and only those', () => {
  const scaled = scaleRecipe(read(SOUP), 6);
  assert.equal(scaled.serves, 6);
  assert.equal(scaled.ingredients[0].amount, 4.5);
  assert.equal(scaled.ingredients[3].amount, null);
  assert.deepEqual(scaled.steps, read(SOUP).steps);
});

test('what is written reads as the same recipe', () => {
  const recipe = read(SOUP);
  const again = read(formatRecipe(recipe, units));
  const plain = (one: any) => ({
    ...one,
    ingredients: one.ingredients.map((e: any) => ({ ...e, line: 0 })),
  });
  assert.deepEqual(plain(again), plain(recipe));
});
