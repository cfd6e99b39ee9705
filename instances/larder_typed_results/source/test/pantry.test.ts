import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Files } from '../src/files.js';
import {
  addItem,
  loadPantry,
  loadUnits,
  mergeNeeds,
  savePantry,
  takeItem,
} from '../src/kitchen.js';
import { Kitchen } from './kitchen.js';

const units = loadUnits(new Files(new Kitchen().folder));
const load = (text: string) =>
  loadPantry(new Files(new Kitchen({ 'pantry.json': text }).folder), units);

test('no pantry is an empty one', () => {
  assert.deepEqual(loadPantry(new Files(new Kitchen().folder), units), []);
});

test('items are read with their unit', () => {
  const items = load('{"items": [{"name": "rice", "amount": 2, "unit": "kilos"}]}');
  assert.deepEqual(items, [{ name: 'rice', amount: 2, unit: 'kg', best: null }]);
});

test('a broken pantry is told with its place', () => {
  const fails = (data: unknown, message: string) =>
    assert.throws(() => load(JSON.stringify(data)), {
      name: 'DataError',
      message: `pantry.json: ${message}`,
    });
  const rice = { name: 'rice', amount: 1, unit: 'kg' };
  fails([], 'expected an object');
  fails({}, 'items: expected a list');
  fails({ items: [rice, 'beans'] }, 'items[1]: expected an object');
  fails({ items: [{ ...rice, name: '' }] }, 'items[0].name: expected a text');
  fails({ items: [{ ...rice, amount: '1' }] }, 'items[0].amount: expected a number above zero');
  fails({ items: [{ ...rice, unit: 'sack' }] }, 'items[0].unit: unknown unit "sack"');
  fails({ items: [{ ...rice, best: 'May' }] }, 'items[0].best: expected a day such as 2024-03-04');
  assert.throws(() => load('{'), { message: 'pantry.json: not valid JSON' });
});

test('what is saved is read again', () => {
  const kitchen = new Kitchen();
  const items = [{ name: 'rice', amount: 0.3333333, unit: 'kg', best: '2024-05-01' }];
  savePantry(new Files(kitchen.folder), items);
  assert.deepEqual(loadPantry(new Files(kitchen.folder), units), [{ ...items[0], amount: 0.333 }]);
});

test('adding goes to the item of the same name and day', () => {
  const items = [{ name: 'Potato', amount: 1, unit: 'kg', best: null }];
  const added = { name: 'potatoes', amount: 500, unit: 'g', best: null };
  assert.deepEqual(addItem(items, added, units), [{ ...items[0], amount: 1.5 }]);
  const dated = { ...added, best: '2024-03-09' };
  assert.deepEqual(addItem(items, dated, units), [...items, dated]);
});

test('adding in a unit that does not convert is refused', () => {
  const items = [{ name: 'garlic', amount: 3, unit: 'clove', best: null }];
  const added = { name: 'garlic', amount: 1, unit: 'bunch', best: null };
  assert.throws(() => addItem(items, added, units), {
    message: 'cannot convert bunch of garlic to clove',
  });
});

test('taking starts with what spoils first', () => {
  const items = [
    { name: 'milk', amount: 1, unit: 'l', best: null },
    { name: 'milk', amount: 300, unit: 'ml', best: '2024-03-05' },
  ];
  const taken = takeItem(items, { name: 'milk', amount: 500, unit: 'ml' }, units);
  assert.equal(taken.missing, 0);
  assert.deepEqual(taken.items, [{ name: 'milk', amount: 0.8, unit: 'l', best: null }]);
});

test('taking more than there is tells what is missing', () => {
  const items = [{ name: 'eggs', amount: 2, unit: 'piece', best: null }];
  const taken = takeItem(items, { name: 'egg', amount: 6, unit: 'piece' }, units);
  assert.deepEqual(taken, { items: [], missing: 4 });
});

test('needs of one ingredient are merged where units convert', () => {
  const need = (name: string, amount: number | null, unit: string | null, optional = false) => ({
    name,
    amount,
    unit,
    optional,
  });
  const merged = mergeNeeds(
    [
      need('potatoes', 1, 'kg'),
      need('garlic', 2, 'clove'),
      need('potato', 500, 'g', true),
      need('garlic', 1, 'bunch'),
      need('salt', null, null),
      need('salt', null, null, true),
    ],
    units,
  );
  assert.deepEqual(merged, [
    need('potatoes', 1.5, 'kg'),
    need('garlic', 2, 'clove'),
    need('garlic', 1, 'bunch'),
    need('salt', null, null),
  ]);
});
