import { resolve } from 'node:path';
import { loadConfig } from './config.js';
import { parseDay } from './dates.js';
import { UsageError } from './errors.js';
import { Files } from './files.js';
import { loadUnits } from './kitchen.js';

/** What a command works with. Settings and units are read when they are first asked for. */
export class Context {
  readonly files: Files;
  private settings: any = null;
  private tables: any = null;

  constructor(private readonly io: any) {
    this.files = new Files(resolve(io.cwd, io.env.LARDER_DIR ?? '.'));
  }

  get config(): any {
    this.settings ??= loadConfig(this.files);
    return this.settings;
  }

  get units(): any {
    this.tables ??= loadUnits(this.files);
    return this.tables;
  }

  get width(): number {
    const text = this.io.env.LARDER_WIDTH;
    if (text === undefined || text === '') {
      return this.config.width;
    }
    const width = Number(text);
    if (!Number.isInteger(width) || width < 40) {
      throw new UsageError(`LARDER_WIDTH: "${text}" is not a whole number from 40 on`);
    }
    return width;
  }

  /** The day that counts as today: the option, else LARDER_TODAY, else the clock's. */
  today(args: any): string {
    const set = this.io.env.LARDER_TODAY;
    if (args.options.date !== undefined) {
      return args.options.date;
    }
    return set === undefined || set === '' ? this.io.now() : parseDay(set, 'LARDER_TODAY');
  }

  stdin(): string {
    return this.io.stdin();
  }

  print(...lines: string[]): void {
    for (const line of lines) {
      this.io.out(`${line}\n`);
    }
  }

  warn(line: string): void {
    this.io.err(`larder: warning: ${line}\n`);
  }

  printJson(value: any): void {
    this.print(JSON.stringify(value, null, 2));
  }
}
