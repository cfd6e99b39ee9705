import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { run } from '../src/cli.js';

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

export interface Outcome {
  exit: number;
  out: string;
  err: string;
}

/** A kitchen in a folder of its own, and the program run in it. */
export class Kitchen {
  readonly folder = mkdtempSync(join(tmpdir(), 'larder-'));

  constructor(files: Record<string, string> = {}) {
    folders.push(this.folder);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  run(argv: string[], env: Record<string, string> = {}, stdin = ''): Outcome {
    const outcome = { exit: 0, out: '', err: '' };
    outcome.exit = run(argv, {
      cwd: this.folder,
      env,
      now: () => '2024-03-04',
      stdin: () => stdin,
      out: (text: string) => {
        outcome.out += text;
      },
      err: (text: string) => {
        outcome.err += text;
      },
    });
    return outcome;
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  has(name: string): boolean {
    return existsSync(join(this.folder, name));
  }
}

export const SOUP = `# Leek soup
serves: 4
time: 45 min
tags: soup, vegetarian

- 3 leeks
- 500 g potatoes, peeled
- 500 ml @stock
- salt
- 1 bunch chives (optional)

1. Slice the leeks and dice the potatoes.
2. Simmer in the stock for half an hour.
`;

export const STOCK = `# Stock
serves: 2
- 1 l water
- 2 carrots
- 1 pinch salt
`;

export const STEW = `# Bean stew
serves: 2
time: 1 h 10 min
tags: stew
source: a neighbour

- 1 can beans
- 2 cloves garlic
- 1 1/2 tbsp olive oil
- 250 g potatoes

1. Fry the garlic in the oil.
2. Add the rest and simmer.
`;

export const RECIPES = {
  'recipes/leek-soup.recipe': SOUP,
  'recipes/stock.recipe': STOCK,
  'recipes/bean-stew.recipe': STEW,
};
