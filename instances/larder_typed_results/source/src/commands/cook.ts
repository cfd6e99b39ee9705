import type { Command } from '../args.js';
import { appendJournal } from '../journal.js';
import { cook, flatten, loadPantry, loadRecipe, savePantry, scaleRecipe } from '../kitchen.js';

export const cookCommand: Command = {
  name: 'cook',
  summary: 'Takes what a recipe needs from the pantry and notes that it was cooked',
  usage: 'cook RECIPE [--serves N] [--date DAY] [--dry-run]',
  positional: [1, 1],
  options: { serves: 'count', date: 'day', 'dry-run': 'flag' },
  run: (context: any, args: any) => {
    const units = context.units;
    const recipe = loadRecipe(context.files, args.positional[0], units);
    const serves = args.options.serves ?? recipe.serves;
    const needs = flatten(context.files, scaleRecipe(recipe, serves), units);
    const before = loadPantry(context.files, units);
    const date = context.today(args);
    const after = cook(before, recipe, needs, units, context.config.staples);
    if (args.options['dry-run']) {
      context.print(`${recipe.title} for ${serves} can be cooked`);
      return;
    }
    savePantry(context.files, after);
    appendJournal(context.files, { date, recipe: recipe.id, serves });
    context.print(`cooked ${recipe.title} for ${serves} on ${date}`);
  },
};
