import type { Arguments, Options } from './args.js';
import { Usage } from './errors.js';
import type { Table } from './table.js';

export interface Call {
  readonly args: Arguments;
  /** The table that comes from the file or the standard input, or from the step before. */
  readonly table: Table;
  /** Reads another table. */
  readonly load: (path: string) => Table;
  readonly write: (path: string, text: string) => void;
}

/** A table, which goes on to the output or the next step; or a text, which ends it all. */
export type Result =
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'text'; readonly text: string; readonly exit: number };

export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly options: Options;
  /** How many words come before the name of the file. */
  readonly words: number;
  readonly run: (call: Call) => Result;
}

export function tableResult(table: Table): Result {
  return { kind: 'table', table };
}

export function textResult(text: string, exit = 0): Result {
  return { kind: 'text', text, exit };
}

export function required(args: Arguments, option: string): string {
  const value = args.values.get(option);
  if (value === undefined) {
    throw new Usage(`the option "--${option}" is missing`);
  }
  return value;
}
