import { Usage } from './errors.js';
import { suggestion } from './text.js';

export type Options = Readonly<Record<string, 'value' | 'flag'>>;

export interface Arguments {
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
}

/** Options start with two hyphens; "-" and "-price" are plain words, and "--" ends the options. */
export function parseArguments(argv: readonly string[], known: Options): Arguments {
  const words: string[] = [];
  const values = new Map<string, string>();
  const flags = new Set<string>();
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] as string;
    if (!word.startsWith('--')) {
      words.push(word);
      continue;
    }
    if (word === '--') {
      words.push(...argv.slice(at + 1));
      break;
    }
    const equals = word.indexOf('=');
    const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) {
      throw new Usage(`unknown option "--${name}"${suggestion(name, Object.keys(known))}`);
    }
    if (flags.has(name) || values.has(name)) {
      throw new Usage(`the option "--${name}" is given twice`);
    }
    if (kind === 'flag') {
      if (equals >= 0) {
        throw new Usage(`the option "--${name}" takes no value`);
      }
      flags.add(name);
      continue;
    }
    const value = equals < 0 ? argv[(at += 1)] : word.slice(equals + 1);
    if (value === undefined) {
      throw new Usage(`the option "--${name}" needs a value`);
    }
    values.set(name, value);
  }
  return { words, values, flags };
}

/** A whole number from 0 on. */
export function count(text: string, what: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) {
    throw new Usage(`${what} must be a whole number, not "${text}"`);
  }
  return Number(text);
}

/** The words of a line of a script: quotes keep spaces, and # starts a comment. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (const letter of line) {
    if (quote !== null) {
      if (letter === quote) {
        quote = null;
      } else {
        word += letter;
      }
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      word ??= '';
    } else if (letter === ' ' || letter === '\t' || letter === '\r') {
      if (word !== null) {
        words.push(word);
        word = null;
      }
    } else if (letter === '#' && word === null) {
      return words;
    } else {
      word = (word ?? '') + letter;
    }
  }
  if (quote !== null) {
    throw new Usage('a quote is not closed');
  }
  if (word !== null) {
    words.push(word);
  }
  return words;
}
