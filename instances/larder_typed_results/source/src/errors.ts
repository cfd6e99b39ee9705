/** What can go wrong for reasons the user can mend. Everything else is a bug and may crash. */
export class LarderError extends Error {
  exitCode = 1;

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** The command line itself is wrong. */
export class UsageError extends LarderError {
  override exitCode = 2;

  constructor(
    message: string,
    readonly command?: string,
  ) {
    super(message);
  }
}

/** A line of a text file (recipe, plan, prices, journal) cannot be understood. */
export class LineError extends LarderError {
  constructor(
    readonly file: string,
    readonly line: number,
    readonly problem: string,
  ) {
    super(`${file}:${line}: ${problem}`);
  }
}

/** A JSON file is not JSON, or not of the shape that is expected. */
export class DataError extends LarderError {
  constructor(
    readonly file: string,
    readonly path: string,
    readonly problem: string,
  ) {
    super(path === '' ? `${file}: ${problem}` : `${file}: ${path}: ${problem}`);
  }
}

/** An amount or a unit makes no sense, or one unit does not convert into another. */
export class UnitError extends LarderError {}

/** Nothing has the name that was asked for. */
export class NotFoundError extends LarderError {
  constructor(
    readonly what: string,
    readonly wanted: string,
    readonly similar: string[],
  ) {
    super(`no ${what} called "${wanted}"`);
  }
}

/** Recipes refer to each other in a circle. */
export class CycleError extends LarderError {
  constructor(readonly path: string[]) {
    super(`recipes refer to each other in a circle: ${path.join(' -> ')}`);
  }
}

/** The pantry does not hold what is needed. */
export class StockError extends LarderError {
  constructor(
    readonly recipe: string,
    readonly missing: string[],
  ) {
    super(`not enough in the pantry for ${recipe}`);
  }
}

/** A file cannot be read or written. */
export class FileError extends LarderError {
  override exitCode = 3;
}
