import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kitchen, RECIPES } from './kitchen.js';

test('list shows the recipes in a table', () => {
  const { exit, out } = new Kitchen(RECIPES).run(['list']);
  assert.equal(exit, 0);
  const [header, rule, ...rows] = out.trimEnd().split('\n');
  assert.equal(header, 'id         title      serves        time  tags');
  assert.equal(rule, '-'.repeat(58));
  assert.deepEqual(rows, [
    'bean-stew  Bean stew       2  1 h 10 min  stew',
    'leek-soup  Leek soup       4      45 min  soup, vegetarian',
    'stock      Stock           2',
  ]);
});

test('list filters by tag, time and ingredient', () => {
  const kitchen = new Kitchen(RECIPES);
  const ids = (...argv: string[]) =>
    JSON.parse(kitchen.run(['list', '--json', ...argv]).out).map(
      (recipe: { id: string }) => recipe.id,
    );
  assert.deepEqual(ids('--tag', 'Soup'), ['leek-soup']);
  assert.deepEqual(ids('--max-time', '60'), ['leek-soup']);
  assert.deepEqual(ids('--uses', 'potato'), ['bean-stew', 'leek-soup']);
  assert.equal(kitchen.run(['list', '--tag', 'cake']).out, 'no recipes\n');
});

test('show writes a recipe, scaled', () => {
  const { out } = new Kitchen(RECIPES).run(['show', 'leek-soup', '--serves', '8']);
  assert.match(
    out,
    /^Leek soup\n=========\nserves 8 \| 45 min \| soup, vegetarian\n\n- 6 leeks\n- 1 kg potatoes, peeled\n/,
  );
  assert.match(out, /\n1\. Slice the leeks/);
});

test('show converts cups where it can', () => {
  const kitchen = new Kitchen({
    'recipes/cake.recipe':
      '# Cake\nserves: 8\n- 2 cups flour\n- 1 cup milk\n- 8 oz butter\n- 1 tsp salt\n',
    'units.json': '{"densities": {"flour": 0.5}}',
  });
  const { out } = kitchen.run(['show', 'cake', '--metric']);
  assert.match(out, /- 240 g flour\n- 240 ml milk\n- 227 g butter\n- 1 tsp salt\n/);
});

test('show wraps at LARDER_WIDTH', () => {
  const { out } = new Kitchen(RECIPES).run(['show', 'leek-soup'], { LARDER_WIDTH: '40' });
  assert.match(
    out,
    /1\. Slice the leeks and dice the potatoes\.\n|1\. Slice the leeks and dice the\n {3}potatoes\.\n/,
  );
});

test('an unknown recipe suggests others', () => {
  const { exit, err } = new Kitchen(RECIPES).run(['show', 'leak-soup']);
  assert.equal(exit, 1);
  assert.equal(err, 'larder: no recipe called "leak-soup"\ndid you mean: leek-soup?\n');
});

test('convert tells both amounts', () => {
  const kitchen = new Kitchen({ 'units.json': '{"densities": {"honey": 1.4}}' });
  assert.equal(kitchen.run(['convert', '2 cups', 'ml']).out, '2 cups = 480 ml\n');
  assert.equal(kitchen.run(['convert', '1 tbsp', 'g', '--of', 'honey', '--plain']).out, '21\n');
  assert.equal(kitchen.run(['convert', '1 tbsp', 'g']).err, 'larder: cannot convert tbsp to g\n');
});

test('cost adds shares of packs', () => {
  const kitchen = new Kitchen({
    ...RECIPES,
    'prices.csv': 'name,pack,price\npotatoes,2 kg,3.00\nbeans,1 can,1.29\ngarlic,1 bunch,0.80\n',
    'larder.json': '{"currency": "CHF", "staples": ["olive oil"]}',
  });
  const { exit, out, err } = kitchen.run(['cost', 'bean-stew', '--serves', '4']);
  assert.equal(exit, 0);
  assert.deepEqual(
    out.split('\n').map((line) => line.split(/\s{2,}/)),
    [
      ['beans', '2 cans', '2.58 CHF'],
      ['garlic', '4 cloves', 'no price'],
      ['potatoes', '500 g', '0.75 CHF'],
      ['total', '3.33 CHF'],
      ['each', '1 of 4', '0.83 CHF'],
      [''],
    ],
  );
  assert.equal(err, 'larder: warning: garlic: cannot convert clove of garlic to bunch\n');
});

test('check finds nothing wrong with a sound kitchen', () => {
  const { exit, out } = new Kitchen(RECIPES).run(['check']);
  assert.equal(exit, 0);
  assert.equal(out, '3 recipes, 0 problems\n');
});

test('check tells every problem, not the first one', () => {
  const kitchen = new Kitchen({
    'recipes/a.recipe': '# A\nserves: 1\n- 1 l @b\n',
    'recipes/b.recipe': '# B\nserves: 1\n- 1 l @a\n',
    'recipes/c.recipe': '# C\nserves: 1\n- 1 l @nothing\n',
    'recipes/d.recipe': '# D\n',
    'pantry.json': '[]',
    'prices.csv': 'name\n',
    'plan.txt': '2024-03-04 lunch a\n2024-03-04 dinner e\n',
    'journal.jsonl': '{"date": "2024-03-04"}\n',
  });
  const { exit, out } = kitchen.run(['check']);
  assert.equal(exit, 1);
  assert.deepEqual(out.split('\n'), [
    'recipes refer to each other in a circle: a -> b -> a',
    'recipes refer to each other in a circle: b -> a -> b',
    'recipes/c.recipe:3: no recipe called "nothing"',
    'recipes/d.recipe:1: the header "serves" is missing',
    'pantry.json: expected an object',
    'prices.csv:1: the column "pack" is missing',
    'journal.jsonl:1: recipe: expected a text',
    'plan.txt:2: no recipe called "e"',
    '4 recipes, 8 problems',
    '',
  ]);
});

test('history counts what was cooked', () => {
  const kitchen = new Kitchen({
    'journal.jsonl':
      '{"date":"2024-02-01","recipe":"stew","serves":2}\n\n' +
      '{"date":"2024-03-01","recipe":"soup","serves":4}\n' +
      '{"date":"2024-02-20","recipe":"soup","serves":4}\n',
  });
  const { out } = kitchen.run(['history']);
  assert.match(out, /soup {8}2 {2}2024-03-01 {3}3 d ago\nstew {8}1 {2}2024-02-01 {2}32 d ago\n/);
  assert.equal(new Kitchen().run(['history']).out, 'nothing was cooked yet\n');
});
