import { parseArgs } from './args.js';
import { COMMANDS } from './commands/index.js';
import { Context } from './context.js';
import { LarderError, NotFoundError, StockError, UsageError } from './errors.js';
import { similar } from './suggest.js';
import { table } from './text/table.js';

export const VERSION = '1.4.0';

/** Runs one command line and returns the exit status: 0 fine, 1 data, 2 usage, 3 files. */
export function run(argv: string[], io: any): number {
  const [name, ...rest] = argv;
  if (name === undefined || name === 'help' || name === '--help') {
    return help(rest[0], io);
  }
  if (name === '--version') {
    io.out(`larder ${VERSION}\n`);
    return 0;
  }
  try {
    const command = findCommand(name);
    const args = parseArgs(command, rest);
    return command.run(new Context(io), args) ?? 0;
  } catch (error: any) {
    return report(error, io);
  }
}

function findCommand(name: string): any {
  const command = COMMANDS.find((entry) => entry.name === name);
  if (command === undefined) {
    const names = COMMANDS.map((entry) => entry.name);
    const [closest] = similar(name, names);
    const hint = closest === undefined ? '' : `; did you mean "${closest}"?`;
    throw new UsageError(`unknown command "${name}"${hint}`);
  }
  return command;
}

function report(error: any, io: any): number {
  if (!(error instanceof LarderError)) {
    throw error;
  }
  io.err(`larder: ${error.message}\n`);
  if (error instanceof UsageError && error.command !== undefined) {
    const command = COMMANDS.find((entry) => entry.name === error.command);
    io.err(`usage: larder ${command!.usage}\n`);
  }
  if (error instanceof NotFoundError && error.similar.length > 0) {
    io.err(`did you mean: ${error.similar.join(', ')}?\n`);
  }
  if (error instanceof StockError) {
    for (const line of error.missing) {
      io.err(`  missing: ${line}\n`);
    }
  }
  return error.exitCode;
}

function help(name: string | undefined, io: any): number {
  if (name !== undefined) {
    try {
      const command = findCommand(name);
      io.out(`usage: larder ${command.usage}\n\n${command.summary}\n`);
      return 0;
    } catch (error: any) {
      return report(error, io);
    }
  }
  const rows = COMMANDS.map((command) => [`  ${command.name}`, command.summary]);
  io.out('usage: larder COMMAND [ARGUMENTS]\n\n');
  io.out(`${table(rows).join('\n')}\n`);
  return 0;
}
