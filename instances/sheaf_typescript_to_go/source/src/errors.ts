/** Something is wrong with the data: exit status 1. */
export class Problem extends Error {}

/** Something is wrong with the command: exit status 2. */
export class Usage extends Error {}
