import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnitError } from '../src/errors.js';
import { convert, findUnit, loadUnits, requireUnit } from '../src/kitchen.js';
import { Files } from '../src/files.js';
import { Kitchen } from './kitchen.js';

function units(json?: unknown): any {
  const files: Record<string, string> =
    json === undefined ? {} : { 'units.json': JSON.stringify(json) };
  return loadUnits(new Files(new Kitchen(files).folder));
}

test('units are found by name, plural and alias', () => {
  assert.equal(findUnit(units(), 'Tablespoons').name, 'tbsp');
  assert.equal(findUnit(units(), 'bunches').name, 'bunch');
  assert.equal(findUnit(units(), 'parsec'), null);
});

test('an unknown unit suggests a close one', () => {
  assert.throws(() => requireUnit(units(), 'tblsp'), {
    name: 'UnitError',
    message: 'unknown unit "tblsp"; did you mean tbsp?',
  });
});

test('converts within a kind', () => {
  assert.equal(convert(units(), 2, 'kg', 'g'), 2000);
  assert.equal(convert(units(), 1, 'tbsp', 'tsp'), 3);
  assert.equal(convert(units(), 2, 'dozen', 'piece'), 24);
});

test('converts between kinds by density and weight', () => {
  const tables = units({ densities: { flour: 0.5 }, weights: { leeks: 150 } });
  assert.equal(convert(tables, 1, 'cup', 'g', 'flour'), 120);
  assert.equal(convert(tables, 1, 'kg', 'l', 'Flour'), 2);
  assert.equal(convert(tables, 3, 'piece', 'g', 'leek'), 450);
  assert.equal(convert(tables, 300, 'g', 'piece', 'leeks'), 2);
});

test('does not convert between kinds without a density', () => {
  assert.throws(() => convert(units(), 1, 'cup', 'g', 'rice'), {
    message: 'cannot convert cup of rice to g',
  });
  assert.throws(() => convert(units(), 1, 'clove', 'bunch'), UnitError);
});

test('units.json adds units', () => {
  const tables = units({ units: [{ name: 'stick', kind: 'mass', factor: 113, plural: 'sticks' }] });
  assert.equal(convert(tables, 2, 'sticks', 'g'), 226);
});

test('units.json is checked', () => {
  const problem = (json: unknown, message: string) =>
    assert.throws(() => units(json), { name: 'DataError', message: `units.json: ${message}` });
  problem({ unit: [] }, 'unit: unknown setting');
  problem({ units: {} }, 'units: expected a list');
  problem({ units: [{ name: 'g' }] }, 'units[0].name: the unit "g" exists already');
  problem(
    { units: [{ name: 'x', kind: 'time' }] },
    'units[0].kind: expected mass, volume or count',
  );
  problem(
    { units: [{ name: 'x', kind: 'mass', factor: 0 }] },
    'units[0].factor: expected a number above zero',
  );
  problem({ weights: { egg: 'heavy' } }, 'weights.egg: expected a number above zero');
});
