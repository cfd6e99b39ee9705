import type { Command } from '../args.js';
import { formatRow } from '../csv.js';
import { addDays } from '../dates.js';
import { UsageError } from '../errors.js';
import { formatQuantity, loadPantry, loadPlan, loadPrices, shoppingList } from '../kitchen.js';
import { formatMoney } from '../text/money.js';

export const shop: Command = {
  name: 'shop',
  summary: 'Writes the shopping list for the plan, or for the recipes that are named',
  usage:
    'shop [RECIPE...] [--plan FILE] [--from DAY] [--days N] [--format text|csv|json] [--out FILE]',
  positional: [0, 20],
  options: { plan: 'text', from: 'day', days: 'count', format: 'text', out: 'text' },
  run: (context: any, args: any) => {
    const { options } = args;
    const format = options.format ?? 'text';
    if (!['text', 'csv', 'json'].includes(format)) {
      throw new UsageError(`--format: "${format}" is not text, csv or json`, 'shop');
    }
    const units = context.units;
    const meals = mealsFor(context, args);
    const pantry = loadPantry(context.files, units);
    const prices = loadPrices(context.files, units);
    const list = shoppingList(context.files, meals, pantry, prices, context.config, units);
    const lines = render(list, format, context);
    if (options.out !== undefined) {
      context.files.write(options.out, `${lines.join('\n')}\n`);
      context.print(`wrote ${options.out}`);
    } else {
      context.print(...lines);
    }
    if (list.unpriced.length > 0) {
      context.warn(`no price for ${list.unpriced.join(', ')}`);
    }
  },
};

function mealsFor(context: any, args: any): any[] {
  const { positional, options } = args;
  if (positional.length > 0) {
    if (options.plan !== undefined || options.from !== undefined) {
      throw new UsageError('name recipes or a plan, not both', 'shop');
    }
    return positional.map((recipe: string) => ({ recipe, serves: null }));
  }
  const meals = loadPlan(context.files, options.plan ?? 'plan.txt', context.config);
  if (options.from === undefined) {
    return meals;
  }
  const end = addDays(options.from, options.days ?? 7);
  return meals.filter((meal) => meal.date >= options.from && meal.date < end);
}

function render(list: any, format: string, context: any): string[] {
  if (format === 'json') {
    return [JSON.stringify(list, null, 2)];
  }
  const quantity = (entry: any) =>
    entry.amount === null ? '' : formatQuantity(context.units, entry);
  if (format === 'csv') {
    const rows = list.aisles.flatMap(({ aisle, entries }: any) =>
      entries.map((entry: any) =>
        formatRow([aisle, entry.name, quantity(entry), entry.packs?.packs ?? '']),
      ),
    );
    return ['aisle,name,amount,packs', ...rows];
  }
  if (list.aisles.length === 0) {
    return ['nothing to buy'];
  }
  const lines: string[] = [];
  for (const { aisle, entries } of list.aisles) {
    lines.push(`${aisle}:`);
    for (const entry of entries) {
      const packs = entry.packs === null ? '' : ` (${packText(entry.packs, context)})`;
      lines.push(`  [ ] ${`${quantity(entry)} ${entry.name}`.trim()}${packs}`);
    }
  }
  lines.push(`about ${formatMoney(list.total, context.config.currency)}`);
  return lines;
}

function packText(packs: any, context: any): string {
  const money = formatMoney(packs.cents, context.config.currency);
  return `${packs.packs} x ${formatQuantity(context.units, packs.pack)}, ${money}`;
}
