import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRow, parseCsv } from '../src/csv.js';
import { addDays, daysBetween, isDay, parseDay, weekday } from '../src/dates.js';
import { parseDuration } from '../src/text/duration.js';
import { parseMoney } from '../src/text/money.js';

test('rows of CSV come by column', () => {
  const rows = parseCsv('Name,price\nrice,1.20\n\n"beans, red",2\n', 'p.csv', ['name', 'price']);
  assert.deepEqual(rows, [
    { line: 2, name: 'rice', price: '1.20' },
    { line: 4, name: 'beans, red', price: '2' },
  ]);
});

test('quoted fields hold quotes and line ends', () => {
  const rows = parseCsv('name\n"a ""b""\nc"\nd\n', 'p.csv', ['name']);
  assert.deepEqual(rows, [
    { line: 2, name: 'a "b"\nc' },
    { line: 4, name: 'd' },
  ]);
});

test('broken CSV is told with its line', () => {
  const fails = (text: string, message: string) =>
    assert.throws(() => parseCsv(text, 'p.csv', ['name']), { name: 'LineError', message });
  fails('', 'p.csv:1: expected the columns name');
  fails('price\n', 'p.csv:1: the column "name" is missing');
  fails('name,price\na\n', 'p.csv:2: expected 2 fields, found 1');
  fails('name\n"a\n', 'p.csv:2: a quoted field is never closed');
});

test('rows are written with quotes where needed', () => {
  assert.equal(formatRow(['a', 2, 'b,c', 'd"e']), 'a,2,"b,c","d""e"');
});

test('days are checked against the calendar', () => {
  assert.equal(isDay('2024-02-29'), true);
  assert.equal(isDay('2023-02-29'), false);
  assert.equal(isDay('2024-2-9'), false);
  assert.equal(isDay(20240229), false);
});

test('a bad day is refused with where it stands', () => {
  assert.equal(parseDay('2024-03-04', '--from'), '2024-03-04');
  assert.throws(() => parseDay('tomorrow', '--from'), {
    name: 'UsageError',
    message: '--from: "tomorrow" is not a day such as 2024-03-04',
  });
});

test('days are counted over months and years', () => {
  assert.equal(addDays('2024-02-28', 2), '2024-03-01');
  assert.equal(addDays('2024-01-01', -1), '2023-12-31');
  assert.equal(daysBetween('2024-03-30', '2024-04-02'), 3);
  assert.equal(weekday('2024-03-04'), 'Mon');
});

test('durations are read with hours and minutes', () => {
  assert.equal(parseDuration('1 h 30 min'), 90);
  assert.equal(parseDuration('2h'), 120);
  assert.equal(parseDuration('45 min'), 45);
});

test('other durations are refused', () => {
  for (const text of ['', 'soon', '1.5 h', '90']) {
    assert.throws(() => parseDuration(text), { name: 'UnitError' });
  }
});

test('money is read as cents', () => {
  assert.equal(parseMoney('2.49'), 249);
  assert.equal(parseMoney(' 3 '), 300);
  assert.equal(parseMoney('0.5'), 50);
});

test('other money is refused', () => {
  for (const text of ['', '-1', '2,49', '1.234']) {
    assert.throws(() => parseMoney(text), { message: /expected an amount such as 2.49/ });
  }
});
