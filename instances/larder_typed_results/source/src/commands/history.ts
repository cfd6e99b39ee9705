import type { Command } from '../args.js';
import { daysBetween } from '../dates.js';
import { frequencies, loadJournal } from '../journal.js';
import { tableWithHeader } from '../text/table.js';

export const history: Command = {
  name: 'history',
  summary: 'Tells what was cooked how often and when last',
  usage: 'history [--recipe RECIPE] [--date DAY] [--json]',
  positional: [0, 0],
  options: { recipe: 'text', date: 'day', json: 'flag' },
  run: (context: any, args: any) => {
    const { recipe, json } = args.options;
    const entries = loadJournal(context.files).filter(
      (entry) => recipe === undefined || entry.recipe === recipe,
    );
    const counted = frequencies(entries);
    if (json) {
      context.printJson(counted);
      return;
    }
    if (counted.length === 0) {
      context.print('nothing was cooked yet');
      return;
    }
    const today = context.today(args);
    const rows = counted.map((entry) => [
      entry.recipe,
      String(entry.times),
      entry.last,
      `${daysBetween(entry.last, today)} d ago`,
    ]);
    const header = ['recipe', 'times', 'last', 'since'];
    context.print(...tableWithHeader(header, rows, ['left', 'right', 'left', 'right']));
  },
};
