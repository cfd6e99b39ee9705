import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from './errors.js';

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'it may not be opened',
};

/** UTF-8; a byte order mark at the start is dropped. */
export function readText(path: string): string {
  const bytes = attempt('read', path, () => readFileSync(path === '-' ? 0 : path));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) {
      throw new Problem(`${path === '-' ? 'the input' : path} is not UTF-8`);
    }
    throw error;
  }
}

/** Makes the folders that it needs. */
export function writeText(path: string, text: string): void {
  attempt('write', path, () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  });
}

function attempt<T>(what: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) {
      throw error;
    }
    throw new Problem(`cannot ${what} ${path}: ${REASONS[code] ?? 'it failed'}`);
  }
}
