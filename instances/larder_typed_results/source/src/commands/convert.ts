import type { Command } from '../args.js';
import { convert, formatQuantity, parseQuantity, requireUnit } from '../kitchen.js';
import { decimal } from '../text/fraction.js';

export const convertCommand: Command = {
  name: 'convert',
  summary: 'Converts an amount into another unit',
  usage: 'convert AMOUNT UNIT [--of INGREDIENT] [--plain]',
  positional: [2, 2],
  options: { of: 'text', plain: 'flag' },
  run: (context: any, args: any) => {
    const [text, to] = args.positional;
    const quantity = parseQuantity(context.units, text);
    const target = requireUnit(context.units, to);
    const amount = convert(context.units, quantity.amount, quantity.unit, to, args.options.of);
    if (args.options.plain) {
      context.print(decimal(amount, 3));
      return;
    }
    const from = formatQuantity(context.units, quantity);
    const name = amount > 1 ? target.plural : target.name;
    context.print(`${from} = ${decimal(amount, 3)} ${name}`);
  },
};
