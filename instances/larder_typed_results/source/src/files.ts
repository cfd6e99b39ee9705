import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FileError } from './errors.js';

/** The kitchen's folder. Names are relative to it. */
export class Files {
  constructor(readonly root: string) {}

  exists(name: string): boolean {
    return existsSync(join(this.root, name));
  }

  read(name: string): string {
    try {
      return readFileSync(join(this.root, name), 'utf8');
    } catch (error: any) {
      throw new FileError(`cannot read ${name}: ${reason(error)}`);
    }
  }

  /** The text of a file that need not be there; then null. */
  readOptional(name: string): any {
    return this.exists(name) ? this.read(name) : null;
  }

  /** Written beside and renamed, so that a file is never half written. */
  write(name: string, text: string): void {
    const path = join(this.root, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    } catch (error: any) {
      throw new FileError(`cannot write ${name}: ${reason(error)}`);
    }
  }

  append(name: string, text: string): void {
    this.write(name, (this.readOptional(name) ?? '') + text);
  }

  /** Names of the files in a folder that end as told, sorted; none if there is no such folder. */
  list(folder: string, ending: string): string[] {
    try {
      return readdirSync(join(this.root, folder))
        .filter((name) => name.endsWith(ending))
        .sort();
    } catch (error: any) {
      if (error.code === 'ENOENT') {
        return [];
      }
      throw new FileError(`cannot list ${folder}: ${reason(error)}`);
    }
  }
}

function reason(error: any): string {
  switch (error.code) {
    case 'ENOENT':
      return 'no such file';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a file is in the way';
    case 'EACCES':
      return 'permission denied';
    default:
      return String(error.code ?? error.message);
  }
}
