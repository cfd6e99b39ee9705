import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decimal } from '../dist/decimal.js';
import { addMonths, fromDays, isoWeek, parseDay, showDay } from '../dist/dates.js';

test('sums of decimals are exact', () => {
  assert.equal(String(Decimal.parse('0.1').plus(Decimal.parse('0.20'))), '0.30');
});

test('quotients are rounded to the even digit', () => {
  assert.equal(String(Decimal.of(2).over(Decimal.of(3))), '0.666666666667');
});

test('a month later is the last day where the month is short', () => {
  assert.equal(showDay(fromDays(addMonths(parseDay('2024-01-31'), 1))), '2024-02-29');
});

test('the first days of January may be in the week of the year before', () => {
  assert.equal(isoWeek(parseDay('2023-01-01')), '2022-W52');
});
