#!/usr/bin/env node
import { type Arguments, type Options, parseArguments } from './args.js';
import type { Command, Result } from './command.js';
import { check } from './commands/check.js';
import { cols, derive, melt, pick, stats } from './commands/columns.js';
import { makeRun, show, split } from './commands/files.js';
import { group, pivot } from './commands/groups.js';
import { diff, join } from './commands/pairs.js';
import { dedupe, fill, slice, sort, where } from './commands/rows.js';
import { Problem, Usage } from './errors.js';
import { type Format, formatNamed, formatOfFile, READABLE, readTable, WRITABLE, writeTable } from './formats.js';
import { FUNCTIONS, LAZY } from './functions.js';
import { readText, writeText } from './host.js';
import type { Table } from './table.js';
import { padEnd, suggestion } from './text.js';

const VERSION = '2.3.0';
const COMMON: Options = { from: 'value', to: 'value', out: 'value', 'no-header': 'flag', bare: 'flag' };
const COMMON_USAGE = '[--from FORMAT] [--no-header] [--to FORMAT] [--bare] [--out FILE]';

const COMMANDS: readonly Command[] = [
  show,
  cols,
  stats,
  pick,
  derive,
  fill,
  melt,
  where,
  slice,
  sort,
  dedupe,
  group,
  pivot,
  join,
  diff,
  check,
  split,
  makeRun(runStep),
];

function commandNamed(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found === undefined) {
    const names = COMMANDS.map((command) => command.name);
    throw new Usage(`unknown command "${name}"${suggestion(name, names)}`);
  }
  return found;
}

function loadWith(header: boolean): (path: string) => Table {
  return (path) => load(path, formatOfFile(path) ?? 'csv', header);
}

function load(path: string, format: Format, header: boolean): Table {
  const text = readText(path);
  try {
    return readTable(text, format, header);
  } catch (error) {
    if (error instanceof Problem) {
      throw new Problem(`${path === '-' ? 'the input' : path}: ${error.message}`);
    }
    throw error;
  }
}

/** The words of the command itself, and the file if one is named. */
function placed(args: Arguments, command: Command, most: number): void {
  if (args.words.length < command.words || args.words.length > most) {
    throw new Usage(`usage: sheaf ${command.usage}`);
  }
}

function runStep(words: readonly string[], table: Table): Result {
  const command = commandNamed(words[0] as string);
  if (command.name === 'run') {
    throw new Usage('a script cannot run scripts');
  }
  const args = parseArguments(words.slice(1), command.options);
  placed(args, command, command.words);
  return command.run({ args, table, load: loadWith(true), write: writeText });
}

function runCommand(command: Command, argv: readonly string[]): number {
  const args = parseArguments(argv, { ...COMMON, ...command.options });
  placed(args, command, command.words + 1);
  const path = args.words[command.words] ?? '-';
  const header = !args.flags.has('no-header');
  const from = args.values.get('from');
  const input = from === undefined ? (formatOfFile(path) ?? 'csv') : formatNamed(from, READABLE);
  const out = args.values.get('out');
  const to = args.values.get('to');
  const output =
    to === undefined ? ((out === undefined ? null : formatOfFile(out)) ?? input) : formatNamed(to, WRITABLE);
  const table = load(path, input, header);
  const result = command.run({ args, table, load: loadWith(header), write: writeText });
  const text =
    result.kind === 'text' ? result.text : writeTable(result.table, output, !args.flags.has('bare'));
  if (out === undefined) {
    process.stdout.write(text);
  } else {
    writeText(out, text);
  }
  return result.kind === 'text' ? result.exit : 0;
}

function help(topic: string | undefined): string {
  if (topic === undefined) {
    const lines = COMMANDS.map(({ name, summary }) => `  ${padEnd(name, 8)}${summary}\n`);
    return `usage: sheaf COMMAND [ARGUMENTS]\n\n${lines.join('')}\nsheaf help COMMAND tells more, and so does sheaf help functions.\n`;
  }
  if (topic === 'functions') {
    const usages = [...FUNCTIONS.values(), ...LAZY.values()].map(({ usage }) => usage);
    return usages.sort().join('\n') + '\n';
  }
  const { usage, summary } = commandNamed(topic);
  return `usage: sheaf ${usage}\n       ${COMMON_USAGE}\n\n${summary}\n`;
}

function main(argv: readonly string[]): number {
  const [name, ...rest] = argv;
  if (name === undefined || name === 'help' || name === '--help') {
    if (rest.length > 1) {
      throw new Usage('usage: sheaf help [COMMAND]');
    }
    process.stdout.write(help(rest[0]));
    return 0;
  }
  if (name === '--version') {
    process.stdout.write(`sheaf ${VERSION}\n`);
    return 0;
  }
  return runCommand(commandNamed(name), rest);
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Problem || error instanceof Usage)) {
    throw error;
  }
  process.stderr.write(`sheaf: ${error.message}\n`);
  process.exitCode = error instanceof Usage ? 2 : 1;
}
