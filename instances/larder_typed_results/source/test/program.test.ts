import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kitchen, RECIPES } from './kitchen.js';

test('help lists the commands', () => {
  const { exit, out } = new Kitchen().run([]);
  assert.equal(exit, 0);
  assert.match(out, /^usage: larder COMMAND \[ARGUMENTS\]\n\n {2}list {5}Lists the recipes\n/);
});

test('help tells about one command', () => {
  assert.match(new Kitchen().run(['help', 'cook']).out, /^usage: larder cook RECIPE/);
  assert.equal(new Kitchen().run(['help', 'boil']).exit, 2);
});

test('the version is told', () => {
  assert.equal(new Kitchen().run(['--version']).out, 'larder 1.4.0\n');
});

test('an unknown command is refused with a hint', () => {
  const { exit, err } = new Kitchen().run(['lits']);
  assert.equal(exit, 2);
  assert.equal(err, 'larder: unknown command "lits"; did you mean "list"?\n');
});

test('wrong usage shows how it is meant', () => {
  const { exit, err } = new Kitchen().run(['show']);
  assert.equal(exit, 2);
  assert.equal(
    err,
    'larder: too few arguments\nusage: larder show RECIPE [--serves N] [--metric] [--json]\n',
  );
});

test('a file that is not there is another exit status', () => {
  const { exit, err } = new Kitchen().run(['shop']);
  assert.equal(exit, 3);
  assert.equal(err, 'larder: cannot read plan.txt: no such file\n');
});

test('a folder in the place of a file is told', () => {
  const { exit, err } = new Kitchen({ 'plan.txt/x': '' }).run(['plan']);
  assert.equal(exit, 3);
  assert.equal(err, 'larder: cannot read plan.txt: it is a folder\n');
});

test('a file in the place of a folder is told', () => {
  const kitchen = new Kitchen({ ...RECIPES, lists: '' });
  const { exit, err } = kitchen.run(['shop', 'stock', '--out', 'lists/a.txt']);
  assert.equal(exit, 3);
  assert.equal(err, 'larder: cannot write lists/a.txt: a file is in the way\n');
});

test('larder.json is checked', () => {
  const err = (config: unknown) =>
    new Kitchen({ ...RECIPES, 'larder.json': JSON.stringify(config) }).run(['show', 'stock']).err;
  assert.equal(err([]), 'larder: larder.json: expected an object\n');
  assert.equal(err({ colour: 1 }), 'larder: larder.json: colour: unknown setting\n');
  assert.equal(
    err({ currency: 'euro' }),
    'larder: larder.json: currency: expected three capital letters\n',
  );
  assert.equal(
    err({ width: 3 }),
    'larder: larder.json: width: expected a whole number from 40 on\n',
  );
  assert.equal(err({ slots: [] }), 'larder: larder.json: slots: expected a list of names\n');
  assert.equal(
    err({ aisles: { a: 'b' } }),
    'larder: larder.json: aisles.a: expected a list of names\n',
  );
});

test('the kitchen may be elsewhere', () => {
  const kitchen = new Kitchen({ 'home/recipes/stock.recipe': RECIPES['recipes/stock.recipe'] });
  assert.equal(kitchen.run(['check'], { LARDER_DIR: 'home' }).out, '1 recipes, 0 problems\n');
});

test('days of the environment are checked', () => {
  const { exit, err } = new Kitchen().run(['stock', 'expiring'], { LARDER_TODAY: 'now' });
  assert.equal(exit, 2);
  assert.equal(err, 'larder: LARDER_TODAY: "now" is not a day such as 2024-03-04\n');
});
