import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kitchen, RECIPES } from './kitchen.js';

const PANTRY = JSON.stringify({
  items: [
    { name: 'potatoes', amount: 2, unit: 'kg' },
    { name: 'beans', amount: 3, unit: 'can' },
    { name: 'garlic', amount: 10, unit: 'clove' },
    { name: 'olive oil', amount: 500, unit: 'ml' },
    { name: 'cream', amount: 200, unit: 'ml', best: '2024-03-05' },
  ],
});

test('cook takes from the pantry and writes the journal', () => {
  const kitchen = new Kitchen({ ...RECIPES, 'pantry.json': PANTRY });
  const { exit, out } = kitchen.run(['cook', 'bean-stew', '--serves', '4'], {
    LARDER_TODAY: '2024-03-06',
  });
  assert.equal(exit, 0);
  assert.equal(out, 'cooked Bean stew for 4 on 2024-03-06\n');
  const amounts = JSON.parse(kitchen.read('pantry.json')).items.map(
    (item: { amount: number }) => item.amount,
  );
  assert.deepEqual(amounts, [1.5, 1, 6, 455, 200]);
  assert.equal(
    kitchen.read('journal.jsonl'),
    '{"date":"2024-03-06","recipe":"bean-stew","serves":4}\n',
  );
});

test('cook tells what is missing and changes nothing', () => {
  const kitchen = new Kitchen({ ...RECIPES, 'pantry.json': PANTRY });
  const { exit, err } = kitchen.run(['cook', 'bean-stew', '--serves', '8']);
  assert.equal(exit, 1);
  assert.equal(err, 'larder: not enough in the pantry for bean-stew\n  missing: 1 can beans\n');
  assert.equal(kitchen.read('pantry.json'), PANTRY);
  assert.equal(kitchen.has('journal.jsonl'), false);
});

test('cook can be tried without a change', () => {
  const kitchen = new Kitchen({ ...RECIPES, 'pantry.json': PANTRY });
  const { out } = kitchen.run(['cook', 'bean-stew', '--dry-run']);
  assert.equal(out, 'Bean stew for 2 can be cooked\n');
  assert.equal(kitchen.read('pantry.json'), PANTRY);
});

test('stock lists items by name', () => {
  const { out } = new Kitchen({ 'pantry.json': PANTRY }).run(['stock']);
  assert.deepEqual(out.split('\n').slice(2, 5), [
    'beans         3 cans',
    'cream         200 ml  2024-03-05',
    'garlic     10 cloves',
  ]);
});

test('stock adds and takes', () => {
  const kitchen = new Kitchen({ 'pantry.json': PANTRY });
  assert.equal(kitchen.run(['stock', 'add', '500 g', 'potato']).out, 'added 500 g potato\n');
  assert.equal(kitchen.run(['stock', 'take', '1 kg', 'potatoes']).out, 'took 1 kg potatoes\n');
  const [potatoes] = JSON.parse(kitchen.read('pantry.json')).items;
  assert.deepEqual(potatoes, { name: 'potatoes', amount: 1.5, unit: 'kg' });
});

test('stock says when there was too little', () => {
  const kitchen = new Kitchen({ 'pantry.json': PANTRY });
  const { exit, out } = kitchen.run(['stock', 'take', '5 cans', 'beans']);
  assert.equal(exit, 1);
  assert.equal(out, 'took all of the beans; 2 cans short\n');
});

test('stock refuses what it does not understand', () => {
  const kitchen = new Kitchen({ 'pantry.json': PANTRY });
  assert.equal(kitchen.run(['stock', 'take', '1', 'bean stalk']).exit, 1);
  assert.match(
    kitchen.run(['stock', 'eat']).err,
    /^larder: unknown action "eat"\nusage: larder stock /,
  );
  assert.match(kitchen.run(['stock', 'add', '1']).err, /add takes an amount and a name/);
});

test('stock tells what expires', () => {
  const kitchen = new Kitchen({ 'pantry.json': PANTRY });
  const { out } = kitchen.run(['stock', 'expiring', '--date', '2024-03-04']);
  assert.match(out, /2024-03-05 {3}in 1 d {2}200 ml cream\n/);
  const late = kitchen.run(['stock', 'expiring', '--date', '2024-03-09', '--days', '1']);
  assert.match(late.out, /4 d ago/);
});

test('plan adds, shows and removes meals', () => {
  const kitchen = new Kitchen(RECIPES);
  const added = kitchen.run(['plan', 'add', '2024-03-06', 'dinner', 'leek-soup', '--serves', '6']);
  assert.equal(added.out, 'planned Leek soup for Wed 2024-03-06 (dinner)\n');
  kitchen.run(['plan', 'add', '2024-03-06', 'lunch', 'bean-stew']);
  const shown = kitchen.run(['plan']);
  assert.equal(
    shown.out,
    'Wed 2024-03-06  lunch   Bean stew  for 2\n                dinner  Leek soup  for 6\n',
  );
  assert.equal(kitchen.run(['plan', 'remove', '2024-03-06', 'dinner']).exit, 0);
  assert.equal(kitchen.read('plan.txt'), '2024-03-06 lunch bean-stew\n');
});

test('plan refuses a second meal in a slot', () => {
  const kitchen = new Kitchen({ ...RECIPES, 'plan.txt': '2024-03-06 lunch stock' });
  const { exit, err } = kitchen.run(['plan', 'add', '2024-03-06', 'lunch', 'leek-soup']);
  assert.equal(exit, 1);
  assert.equal(err, 'larder: there is a lunch on 2024-03-06 already\n');
});

test('shop lists by aisle what the pantry does not hold', () => {
  const kitchen = new Kitchen({
    ...RECIPES,
    'pantry.json': PANTRY,
    'plan.txt': '2024-03-04 lunch leek-soup x8\n2024-03-20 dinner bean-stew x40\n',
    'prices.csv': 'name,pack,price\nleek,3,2.40\nwater,6 l,1.20\n',
    'larder.json': '{"aisles": {"vegetables": ["leeks", "carrots"]}, "staples": ["salt"]}',
  });
  const { out, err } = kitchen.run(['shop', '--from', '2024-03-04']);
  assert.equal(
    out,
    'vegetables:\n  [ ] 2 carrots\n  [ ] 6 leeks (2 x 3, 4.80 EUR)\n' +
      'other:\n  [ ] 1 l water (1 x 6 l, 1.20 EUR)\nabout 6.00 EUR\n',
  );
  assert.equal(err, 'larder: warning: no price for carrots\n');
});

test('shop writes CSV to a file', () => {
  const kitchen = new Kitchen(RECIPES);
  const { out } = kitchen.run(['shop', 'bean-stew', '--format', 'csv', '--out', 'lists/week.csv']);
  assert.equal(out, 'wrote lists/week.csv\n');
  assert.equal(
    kitchen.read('lists/week.csv'),
    'aisle,name,amount,packs\nother,beans,1 can,\nother,garlic,2 cloves,\nother,olive oil,1 1/2 tbsp,\nother,potatoes,250 g,\n',
  );
});

test('shop names the meal whose recipe is missing', () => {
  const kitchen = new Kitchen({ 'plan.txt': '2024-03-04 lunch pie\n' });
  const { exit, err } = kitchen.run(['shop']);
  assert.equal(exit, 1);
  assert.equal(err, 'larder: no recipe called "pie", planned for 2024-03-04 (lunch)\n');
});

test('import writes a recipe from JSON', () => {
  const kitchen = new Kitchen();
  const json = {
    name: 'Apple Pie',
    servings: 8,
    minutes: 90,
    keywords: ['Cake'],
    ingredients: ['6 apples', '250 g flour'],
    instructions: ['Mix.', 'Bake.'],
  };
  const { exit, out } = kitchen.run(['import', '-'], {}, JSON.stringify(json));
  assert.equal(exit, 0);
  assert.equal(out, 'imported Apple Pie as apple-pie\n');
  assert.equal(
    kitchen.read('recipes/apple-pie.recipe'),
    '# Apple Pie\nserves: 8\ntime: 1 h 30 min\ntags: cake\n\n- 6 apples\n- 250 g flour\n\n1. Mix.\n2. Bake.\n',
  );
  const again = kitchen.run(['import', '-'], {}, JSON.stringify(json));
  assert.equal(again.err, 'larder: recipes/apple-pie.recipe exists already; --force replaces it\n');
});

test('import tells where the JSON is wrong', () => {
  const err = (json: unknown) => new Kitchen().run(['import', '-'], {}, JSON.stringify(json)).err;
  const pie = { name: 'Pie', servings: 2, ingredients: ['1 egg'] };
  assert.equal(err({ ...pie, name: 3 }), 'larder: stdin: name: expected a text\n');
  assert.equal(
    err({ ...pie, servings: 0 }),
    'larder: stdin: servings: expected a whole number from 1 on\n',
  );
  assert.equal(
    err({ ...pie, ingredients: [] }),
    'larder: stdin: ingredients: expected a list that is not empty\n',
  );
  assert.equal(
    err({ ...pie, ingredients: ['1-2 eggs'] }),
    'larder: stdin: ingredients[0]: ranges are not supported; write one amount\n',
  );
  assert.equal(
    err({ ...pie, instructions: 'Mix' }),
    'larder: stdin: instructions: expected a list\n',
  );
});
