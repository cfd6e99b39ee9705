import type { Command } from '../args.js';
import { UnitError } from '../errors.js';
import {
  flatten,
  formatQuantity,
  isStaple,
  loadPrices,
  loadRecipe,
  mergeNeeds,
  scaleRecipe,
  shareCost,
} from '../kitchen.js';
import { formatMoney } from '../text/money.js';
import { table } from '../text/table.js';

export const cost: Command = {
  name: 'cost',
  summary: 'Tells what a recipe costs, by shares of packs',
  usage: 'cost RECIPE [--serves N] [--json]',
  positional: [1, 1],
  options: { serves: 'count', json: 'flag' },
  run: (context: any, args: any) => {
    const units = context.units;
    const prices = loadPrices(context.files, units);
    const recipe = loadRecipe(context.files, args.positional[0], units);
    const scaled = scaleRecipe(recipe, args.options.serves ?? recipe.serves);
    const lines: any[] = [];
    let total = 0;
    for (const need of mergeNeeds(flatten(context.files, scaled, units), units)) {
      if (isStaple(need.name, context.config.staples)) {
        continue;
      }
      let cents: any = null;
      try {
        cents = shareCost(prices, need, units);
      } catch (error: any) {
        if (!(error instanceof UnitError)) {
          throw error;
        }
        context.warn(`${need.name}: ${error.message}`);
      }
      total += cents ?? 0;
      lines.push({ ...need, cents });
    }
    const each = Math.round(total / scaled.serves);
    if (args.options.json) {
      context.printJson({ recipe: recipe.id, serves: scaled.serves, lines, total, each });
      return;
    }
    const { currency } = context.config;
    const rows = lines.map((line) => [
      line.name,
      line.amount === null ? '' : formatQuantity(units, line),
      line.cents === null ? 'no price' : formatMoney(line.cents, currency),
    ]);
    rows.push(['total', '', formatMoney(total, currency)]);
    rows.push(['each', `1 of ${scaled.serves}`, formatMoney(each, currency)]);
    context.print(...table(rows, ['left', 'right', 'right']));
  },
};
