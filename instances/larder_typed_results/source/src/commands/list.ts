import type { Command } from '../args.js';
import { loadRecipe, recipeIds } from '../kitchen.js';
import { formatDuration } from '../text/duration.js';
import { tableWithHeader } from '../text/table.js';

export const list: Command = {
  name: 'list',
  summary: 'Lists the recipes',
  usage: 'list [--tag TAG] [--max-time MINUTES] [--uses INGREDIENT] [--json]',
  positional: [0, 0],
  options: { tag: 'text', 'max-time': 'count', uses: 'text', json: 'flag' },
  run: (context: any, args: any) => {
    const units = context.units;
    const wanted = (recipe: any) => matches(recipe, args.options);
    const recipes = recipeIds(context.files)
      .map((id) => loadRecipe(context.files, id, units))
      .filter(wanted);
    if (args.options.json) {
      context.printJson(recipes.map(summary));
      return;
    }
    if (recipes.length === 0) {
      context.print('no recipes');
      return;
    }
    const rows = recipes.map((recipe: any) => [
      recipe.id,
      recipe.title,
      String(recipe.serves),
      recipe.minutes === null ? '' : formatDuration(recipe.minutes),
      recipe.tags.join(', '),
    ]);
    const header = ['id', 'title', 'serves', 'time', 'tags'];
    context.print(...tableWithHeader(header, rows, ['left', 'left', 'right', 'right', 'left']));
  },
};

function matches(recipe: any, options: any): boolean {
  if (options.tag !== undefined && !recipe.tags.includes(options.tag.toLowerCase())) {
    return false;
  }
  if (options['max-time'] !== undefined) {
    if (recipe.minutes === null || recipe.minutes > options['max-time']) {
      return false;
    }
  }
  if (options.uses !== undefined) {
    const word = options.uses.toLowerCase();
    return recipe.ingredients.some((entry: any) => entry.name.toLowerCase().includes(word));
  }
  return true;
}

function summary(recipe: any): any {
  return {
    id: recipe.id,
    title: recipe.title,
    serves: recipe.serves,
    minutes: recipe.minutes,
    tags: recipe.tags,
  };
}
