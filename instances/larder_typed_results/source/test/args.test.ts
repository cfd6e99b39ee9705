import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs, type Command } from '../src/args.js';

const COMMAND: Command = {
  name: 'demo',
  summary: '',
  usage: 'demo',
  positional: [1, 2],
  options: { json: 'flag', tag: 'text', days: 'count', from: 'day' },
  run: () => 0,
};

function fails(argv: string[], message: string): void {
  assert.throws(() => parseArgs(COMMAND, argv), { name: 'UsageError', message });
}

test('options may stand anywhere and take values both ways', () => {
  const args = parseArgs(COMMAND, ['--tag', 'soup', 'one', '--days=3', 'two', '--json']);
  assert.deepEqual(args.positional, ['one', 'two']);
  assert.deepEqual(args.options, { tag: 'soup', days: 3, json: true });
});

test('everything after -- is positional', () => {
  assert.deepEqual(parseArgs(COMMAND, ['--', '--json']).positional, ['--json']);
});

test('unknown options are refused with a hint', () => {
  fails(['one', '--jsno'], 'unknown option --jsno; did you mean --json?');
  fails(['one', '--verbose'], 'unknown option --verbose');
});

test('values are checked', () => {
  fails(['one', '--json=yes'], '--json takes no value');
  fails(['one', '--tag'], '--tag needs a value');
  fails(['one', '--days', '0'], '--days: "0" is not a whole number from 1 on');
  fails(['one', '--from', 'May'], '--from: "May" is not a day such as 2024-03-04');
});

test('the number of arguments is checked', () => {
  fails([], 'too few arguments');
  fails(['1', '2', '3'], 'unexpected "3"');
});
