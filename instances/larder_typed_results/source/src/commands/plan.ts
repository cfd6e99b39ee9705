import type { Command } from '../args.js';
import { addDays, parseDay } from '../dates.js';
import { LarderError, UsageError } from '../errors.js';
import { formatMeal, loadPlan, loadRecipe, mealTitle, parsePlan } from '../kitchen.js';
import { table } from '../text/table.js';

const FILE = 'plan.txt';

export const plan: Command = {
  name: 'plan',
  summary: 'Shows the plan of meals, or adds one to it or removes one',
  usage: 'plan [show [--from DAY] [--days N] | add DAY SLOT RECIPE [--serves N] | remove DAY SLOT]',
  positional: [0, 4],
  options: { from: 'day', days: 'count', serves: 'count' },
  run: (context: any, args: any) => {
    const [action = 'show', ...rest] = args.positional;
    switch (action) {
      case 'show':
        return showPlan(context, args.options);
      case 'add':
        return addMeal(context, rest, args.options);
      case 'remove':
        return removeMeal(context, rest);
      default:
        throw new UsageError(`unknown action "${action}"`, 'plan');
    }
  },
};

function showPlan(context: any, options: any): void {
  let meals = loadPlan(context.files, FILE, context.config);
  if (options.from !== undefined) {
    const end = addDays(options.from, options.days ?? 7);
    meals = meals.filter((meal) => meal.date >= options.from && meal.date < end);
  }
  if (meals.length === 0) {
    context.print('nothing is planned');
    return;
  }
  const rows: string[][] = [];
  let last = '';
  for (const meal of meals) {
    const recipe = loadRecipe(context.files, meal.recipe, context.units);
    const serves = `for ${meal.serves ?? recipe.serves}`;
    rows.push([meal.date === last ? '' : mealTitle(meal), meal.slot, recipe.title, serves]);
    last = meal.date;
  }
  context.print(...table(rows));
}

function addMeal(context: any, words: string[], options: any): void {
  if (words.length !== 3) {
    throw new UsageError('add takes a day, a slot and a recipe', 'plan');
  }
  const [day, slot, id] = words as [string, string, string];
  const date = parseDay(day, 'plan add');
  if (!context.config.slots.includes(slot)) {
    throw new UsageError(`unknown slot "${slot}" (${context.config.slots.join(', ')})`, 'plan');
  }
  const recipe = loadRecipe(context.files, id, context.units);
  const text = context.files.readOptional(FILE) ?? '';
  const meals = parsePlan(text, FILE, context.config);
  if (meals.some((meal) => meal.date === date && meal.slot === slot)) {
    throw new LarderError(`there is a ${slot} on ${date} already`);
  }
  const meal = { date, slot, recipe: recipe.id, serves: options.serves ?? null };
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  context.files.write(FILE, `${text}${gap}${formatMeal(meal)}\n`);
  context.print(`planned ${recipe.title} for ${mealTitle(meal)} (${slot})`);
}

function removeMeal(context: any, words: string[]): void {
  if (words.length !== 2) {
    throw new UsageError('remove takes a day and a slot', 'plan');
  }
  const [day, slot] = words as [string, string];
  const date = parseDay(day, 'plan remove');
  const text = context.files.read(FILE);
  const meals = parsePlan(text, FILE, context.config);
  const meal = meals.find((entry) => entry.date === date && entry.slot === slot);
  if (meal === undefined) {
    throw new LarderError(`there is no ${slot} on ${date}`);
  }
  const lines = text.split('\n');
  lines.splice(meal.line - 1, 1);
  context.files.write(FILE, lines.join('\n'));
  context.print(`removed ${meal.recipe} from ${mealTitle(meal)} (${slot})`);
}
