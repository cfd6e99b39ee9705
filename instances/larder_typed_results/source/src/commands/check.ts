import type { Command } from '../args.js';
import { LarderError, NotFoundError } from '../errors.js';
import { loadJournal } from '../journal.js';
import { flatten, loadPantry, loadPlan, loadPrices, loadRecipe, recipeIds } from '../kitchen.js';

export const check: Command = {
  name: 'check',
  summary: 'Reads every file of the kitchen and tells what is wrong',
  usage: 'check [--json]',
  positional: [0, 0],
  options: { json: 'flag' },
  run: (context: any, args: any) => {
    const units = context.units;
    const config = context.config;
    const problems: string[] = [];
    const attempt = (what: () => any): any => {
      try {
        return what();
      } catch (error: any) {
        if (!(error instanceof LarderError)) {
          throw error;
        }
        problems.push(error.message);
        return null;
      }
    };
    const ids = recipeIds(context.files);
    for (const id of ids) {
      const recipe = attempt(() => loadRecipe(context.files, id, units));
      if (recipe !== null) {
        attempt(() => references(context, recipe));
      }
    }
    attempt(() => loadPantry(context.files, units));
    attempt(() => loadPrices(context.files, units));
    attempt(() => loadJournal(context.files));
    if (context.files.exists('plan.txt')) {
      const meals = attempt(() => loadPlan(context.files, 'plan.txt', config)) ?? [];
      for (const meal of meals) {
        if (!ids.includes(meal.recipe)) {
          problems.push(`plan.txt:${meal.line}: no recipe called "${meal.recipe}"`);
        }
      }
    }
    if (args.options.json) {
      context.printJson({ recipes: ids.length, problems });
    } else {
      context.print(...problems);
      context.print(`${ids.length} recipes, ${problems.length} problems`);
    }
    return problems.length === 0 ? 0 : 1;
  },
};

/** References that lead nowhere are told with the line that holds them. */
function references(context: any, recipe: any): void {
  for (const entry of recipe.ingredients) {
    if (entry.ref !== null) {
      try {
        loadRecipe(context.files, entry.ref, context.units);
      } catch (error: any) {
        if (error instanceof NotFoundError) {
          throw new LarderError(`recipes/${recipe.id}.recipe:${entry.line}: ${error.message}`);
        }
        return;
      }
    }
  }
  flatten(context.files, recipe, context.units);
}
