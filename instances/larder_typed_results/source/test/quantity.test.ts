import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Files } from '../src/files.js';
import { formatQuantity, loadUnits, parseQuantity, takeNumber } from '../src/kitchen.js';
import { Kitchen } from './kitchen.js';

const units = loadUnits(new Files(new Kitchen().folder));

test('reads whole numbers, decimals and fractions', () => {
  assert.deepEqual(takeNumber('3 leeks'), { value: 3, rest: 'leeks' });
  assert.deepEqual(takeNumber('0.5 l'), { value: 0.5, rest: 'l' });
  assert.deepEqual(takeNumber('1 1/2 tbsp'), { value: 1.5, rest: 'tbsp' });
  assert.deepEqual(takeNumber('3/4 cup'), { value: 0.75, rest: 'cup' });
});

test('reads the glyphs of fractions', () => {
  assert.deepEqual(takeNumber('½ bunch'), { value: 0.5, rest: 'bunch' });
  assert.deepEqual(takeNumber('2¼ kg'), { value: 2.25, rest: 'kg' });
});

test('a text without an amount has none', () => {
  assert.equal(takeNumber('salt'), null);
});

test('ranges are refused', () => {
  assert.throws(() => takeNumber('2-3 leeks'), /ranges are not supported/);
  assert.throws(() => takeNumber('2 – 3 leeks'), /ranges are not supported/);
});

test('a fraction over zero is refused', () => {
  assert.throws(() => takeNumber('1/0 cup'), { message: '"1/0" divides by zero' });
});

test('an amount has a unit, or counts pieces', () => {
  assert.deepEqual(parseQuantity(units, '250 grams'), { amount: 250, unit: 'g' });
  assert.deepEqual(parseQuantity(units, ' 12 '), { amount: 12, unit: 'piece' });
});

test('an amount of nothing or without a number is refused', () => {
  assert.throws(() => parseQuantity(units, '0 g'), {
    message: 'an amount has to be more than zero',
  });
  assert.throws(() => parseQuantity(units, 'some g'), {
    message: '"some g" does not start with an amount',
  });
});

test('amounts are shown in handy units', () => {
  assert.equal(formatQuantity(units, { amount: 1500, unit: 'g' }), '1 1/2 kg');
  assert.equal(formatQuantity(units, { amount: 2000, unit: 'ml' }), '2 l');
  assert.equal(formatQuantity(units, { amount: 333.4, unit: 'g' }), '333 g');
  assert.equal(formatQuantity(units, { amount: 3, unit: 'piece' }), '3');
});

test('more than one takes the plural', () => {
  assert.equal(formatQuantity(units, { amount: 2, unit: 'clove' }), '2 cloves');
  assert.equal(formatQuantity(units, { amount: 0.5, unit: 'cup' }), '1/2 cup');
});
