import type { Command } from '../args.js';
import { UnitError } from '../errors.js';
import { convert, findUnit, formatIngredient, loadRecipe, scaleRecipe } from '../kitchen.js';
import { formatDuration } from '../text/duration.js';
import { hang } from '../text/wrap.js';

export const show: Command = {
  name: 'show',
  summary: 'Shows a recipe, scaled and in metric units if asked',
  usage: 'show RECIPE [--serves N] [--metric] [--json]',
  positional: [1, 1],
  options: { serves: 'count', metric: 'flag', json: 'flag' },
  run: (context: any, args: any) => {
    let recipe = loadRecipe(context.files, args.positional[0], context.units);
    if (args.options.serves !== undefined) {
      recipe = scaleRecipe(recipe, args.options.serves);
    }
    if (args.options.metric) {
      const ingredients = recipe.ingredients.map((entry: any) => metric(entry, context.units));
      recipe = { ...recipe, ingredients };
    }
    if (args.options.json) {
      context.printJson(recipe);
      return;
    }
    const width = context.width;
    context.print(recipe.title, '='.repeat(recipe.title.length));
    context.print(facts(recipe), '');
    for (const entry of recipe.ingredients) {
      context.print(...hang('- ', formatIngredient(entry, context.units), width));
    }
    recipe.steps.forEach((step: string, index: number) => {
      context.print('', ...hang(`${index + 1}. `, step, width));
    });
  },
};

function facts(recipe: any): string {
  const parts = [`serves ${recipe.serves}`];
  if (recipe.minutes !== null) {
    parts.push(formatDuration(recipe.minutes));
  }
  if (recipe.tags.length > 0) {
    parts.push(recipe.tags.join(', '));
  }
  return parts.join(' | ');
}

/** Spoons stay; cups become millilitres or, where the density is known, grams. */
function metric(entry: any, units: any): any {
  if (entry.amount === null) {
    return entry;
  }
  const kind = findUnit(units, entry.unit).kind;
  if (kind === 'mass') {
    return { ...entry, amount: convert(units, entry.amount, entry.unit, 'g'), unit: 'g' };
  }
  if (entry.unit !== 'cup') {
    return entry;
  }
  try {
    return { ...entry, amount: convert(units, entry.amount, 'cup', 'g', entry.name), unit: 'g' };
  } catch (error: any) {
    if (error instanceof UnitError) {
      return { ...entry, amount: convert(units, entry.amount, 'cup', 'ml'), unit: 'ml' };
    }
    throw error;
  }
}
