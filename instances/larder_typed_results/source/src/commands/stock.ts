import type { Command } from '../args.js';
import { daysBetween, parseDay } from '../dates.js';
import { NotFoundError, UsageError } from '../errors.js';
import {
  addItem,
  formatQuantity,
  loadPantry,
  parseQuantity,
  savePantry,
  takeItem,
} from '../kitchen.js';
import { normalise } from '../names.js';
import { similar } from '../suggest.js';
import { tableWithHeader } from '../text/table.js';

export const stock: Command = {
  name: 'stock',
  summary: 'Shows what is in the pantry, or adds to it or takes from it',
  usage:
    'stock [list | add AMOUNT NAME [--best DAY] | take AMOUNT NAME | expiring [--days N]] [--date DAY] [--json]',
  positional: [0, 3],
  options: { best: 'text', days: 'count', date: 'day', json: 'flag' },
  run: (context: any, args: any) => {
    const [action = 'list', ...rest] = args.positional;
    const items = loadPantry(context.files, context.units);
    switch (action) {
      case 'list':
        return listItems(context, items, args);
      case 'add':
        return add(context, items, rest, args);
      case 'take':
        return take(context, items, rest);
      case 'expiring':
        return expiring(context, items, args);
      default:
        throw new UsageError(`unknown action "${action}"`, 'stock');
    }
  },
};

function listItems(context: any, items: any[], args: any): void {
  const sorted = [...items].sort((one, other) => (one.name < other.name ? -1 : 1));
  if (args.options.json) {
    context.printJson(sorted);
    return;
  }
  if (sorted.length === 0) {
    context.print('the pantry is empty');
    return;
  }
  const rows = sorted.map((item) => [
    item.name,
    formatQuantity(context.units, item),
    item.best ?? '',
  ]);
  context.print(...tableWithHeader(['name', 'amount', 'best before'], rows, ['left', 'right']));
}

function add(context: any, items: any[], words: string[], args: any): void {
  const [text, name] = twoWords(words, 'add');
  const quantity = parseQuantity(context.units, text);
  const best = args.options.best === undefined ? null : parseDay(args.options.best, '--best');
  const after = addItem(items, { name, ...quantity, best }, context.units);
  savePantry(context.files, after);
  context.print(`added ${formatQuantity(context.units, quantity)} ${name}`);
}

function take(context: any, items: any[], words: string[]): number {
  const [text, name] = twoWords(words, 'take');
  const quantity = parseQuantity(context.units, text);
  if (!items.some((item) => normalise(item.name) === normalise(name))) {
    const names = items.map((item) => item.name);
    throw new NotFoundError('item', name, similar(name, names));
  }
  const taken = takeItem(items, { name, ...quantity }, context.units);
  savePantry(context.files, taken.items);
  if (taken.missing > 0) {
    const rest = formatQuantity(context.units, { ...quantity, amount: taken.missing });
    context.print(`took all of the ${name}; ${rest} short`);
    return 1;
  }
  context.print(`took ${formatQuantity(context.units, quantity)} ${name}`);
  return 0;
}

function expiring(context: any, items: any[], args: any): void {
  const today = context.today(args);
  const limit = args.options.days ?? 3;
  const rows = items
    .filter((item) => item.best !== null && daysBetween(today, item.best) <= limit)
    .sort((one, other) => (one.best < other.best ? -1 : 1))
    .map((item) => [
      item.best,
      when(daysBetween(today, item.best)),
      `${formatQuantity(context.units, item)} ${item.name}`,
    ]);
  if (rows.length === 0) {
    context.print(`nothing expires within ${limit} days`);
    return;
  }
  context.print(...tableWithHeader(['best before', 'when', 'what'], rows));
}

function when(days: number): string {
  if (days < 0) {
    return `${-days} d ago`;
  }
  return days === 0 ? 'today' : `in ${days} d`;
}

function twoWords(words: string[], action: string): [string, string] {
  if (words.length !== 2) {
    throw new UsageError(`${action} takes an amount and a name`, 'stock');
  }
  return words as [string, string];
}
