import { parseDay } from './dates.js';
import { UsageError } from './errors.js';
import { similar } from './suggest.js';

export type OptionKind = 'flag' | 'text' | 'count' | 'day';

/** One subcommand: what it takes and what it does. */
export interface Command {
  name: string;
  summary: string;
  usage: string;
  positional: [min: number, max: number];
  options: Record<string, OptionKind>;
  run: (context: any, args: any) => any;
}

/** Splits what follows the name of a command into positional arguments and options. */
export function parseArgs(command: Command, argv: string[]): any {
  const positional: string[] = [];
  const options: any = {};
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (word === '--') {
      positional.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith('--')) {
      positional.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = equals === -1 ? word.slice(2) : word.slice(2, equals);
    const kind = command.options[name];
    if (kind === undefined) {
      throw new UsageError(unknownOption(name, Object.keys(command.options)), command.name);
    }
    if (kind === 'flag') {
      if (equals !== -1) {
        throw new UsageError(`--${name} takes no value`, command.name);
      }
      options[name] = true;
      continue;
    }
    let value = equals === -1 ? argv[++index] : word.slice(equals + 1);
    if (value === undefined || value === '') {
      throw new UsageError(`--${name} needs a value`, command.name);
    }
    options[name] = readValue(name, kind, value, command.name);
  }
  const [min, max] = command.positional;
  if (positional.length < min || positional.length > max) {
    throw new UsageError(
      positional.length < min ? 'too few arguments' : `unexpected "${positional[max]}"`,
      command.name,
    );
  }
  return { positional, options };
}

function readValue(name: string, kind: OptionKind, value: string, command: string): any {
  if (kind === 'count') {
    const count = Number(value);
    if (!Number.isInteger(count) || count < 1) {
      throw new UsageError(`--${name}: "${value}" is not a whole number from 1 on`, command);
    }
    return count;
  }
  if (kind === 'day') {
    return parseDay(value, `--${name}`);
  }
  return value;
}

function unknownOption(name: string, known: string[]): string {
  const [closest] = similar(name, known);
  return closest === undefined
    ? `unknown option --${name}`
    : `unknown option --${name}; did you mean --${closest}?`;
}
