import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalise, slug } from '../src/names.js';
import { distance, similar } from '../src/suggest.js';
import { formatDuration } from '../src/text/duration.js';
import { decimal, fraction } from '../src/text/fraction.js';
import { formatMoney } from '../src/text/money.js';
import { table, tableWithHeader } from '../src/text/table.js';
import { hang, wrap } from '../src/text/wrap.js';

test('slugs have plain letters only', () => {
  assert.equal(slug('Leek & Potato Soup'), 'leek-potato-soup');
  assert.equal(slug('  Crème brûlée!'), 'creme-brulee');
});

test('names are compared in the singular', () => {
  assert.equal(normalise('Potatoes'), 'potato');
  assert.equal(normalise('  red   Berries'), 'red berry');
  assert.equal(normalise('bay leaves'), 'bay leaf');
  assert.equal(normalise('asparagus'), 'asparagus');
  assert.equal(normalise('watercress'), 'watercress');
});

test('the distance of words is the number of edits', () => {
  assert.equal(distance('leek', 'leek'), 0);
  assert.equal(distance('leek', 'leak'), 1);
  assert.equal(distance('stew', 'stewed'), 2);
});

test('similar names come closest first, three at most', () => {
  const names = ['stock', 'shock', 'stick', 'stack', 'soup'];
  assert.deepEqual(similar('sticks', names), ['stick', 'stack', 'stock']);
  assert.deepEqual(similar('xyzzy', names), []);
});

test('durations are written with hours', () => {
  assert.equal(formatDuration(45), '45 min');
  assert.equal(formatDuration(60), '1 h');
  assert.equal(formatDuration(95), '1 h 35 min');
});

test('numbers are written as fractions where they are', () => {
  assert.equal(fraction(2), '2');
  assert.equal(fraction(0.5), '1/2');
  assert.equal(fraction(1 + 2 / 3), '1 2/3');
  assert.equal(fraction(2.1), '2.1');
  assert.equal(decimal(1 / 7, 3), '0.143');
});

test('money has two decimals', () => {
  assert.equal(formatMoney(1205, 'EUR'), '12.05 EUR');
  assert.equal(formatMoney(7, 'CHF'), '0.07 CHF');
});

test('tables align columns', () => {
  assert.deepEqual(
    table(
      [
        ['a', '1'],
        ['long', '22'],
      ],
      ['left', 'right'],
    ),
    ['a      1', 'long  22'],
  );
  assert.deepEqual(tableWithHeader(['x'], [['yes']]), ['x', '---', 'yes']);
});

test('text is wrapped and hung', () => {
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrap('', 7), ['']);
  assert.deepEqual(hang('1. ', 'one two three', 10), ['1. one two', '   three']);
});
