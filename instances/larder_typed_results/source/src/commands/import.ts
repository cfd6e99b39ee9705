import type { Command } from '../args.js';
import { LarderError } from '../errors.js';
import { formatRecipe, parseRecipe, recipeFromJson, recipeIds } from '../kitchen.js';

export const importCommand: Command = {
  name: 'import',
  summary: 'Imports a recipe from JSON; "-" reads the standard input',
  usage: 'import FILE|- [--force] [--dry-run]',
  positional: [1, 1],
  options: { force: 'flag', 'dry-run': 'flag' },
  run: (context: any, args: any) => {
    const [name] = args.positional;
    const text = name === '-' ? context.stdin() : context.files.read(name);
    const recipe = recipeFromJson(text, name === '-' ? 'stdin' : name, context.units);
    const file = `recipes/${recipe.id}.recipe`;
    const written = formatRecipe(recipe, context.units);
    parseRecipe(written, file, context.units);
    if (args.options['dry-run']) {
      context.print(written.trimEnd());
      return;
    }
    if (recipeIds(context.files).includes(recipe.id) && !args.options.force) {
      throw new LarderError(`${file} exists already; --force replaces it`);
    }
    context.files.write(file, written);
    context.print(`imported ${recipe.title} as ${recipe.id}`);
  },
};
