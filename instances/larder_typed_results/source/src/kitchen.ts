import { aisleOf } from './config.js';
import { parseCsv } from './csv.js';
import { isDay, weekday } from './dates.js';
import {
  CycleError,
  DataError,
  LarderError,
  LineError,
  NotFoundError,
  StockError,
  UnitError,
} from './errors.js';
import { normalise, slug } from './names.js';
import { similar } from './suggest.js';
import { formatDuration, parseDuration } from './text/duration.js';
import { fraction } from './text/fraction.js';
import { parseMoney } from './text/money.js';

// Units

/** `factor` is how many of the kind's first unit (g, ml, piece) one of this unit is. */
export interface Unit {
  name: string;
  plural: string;
  kind: string;
  factor: number;
  aliases: string[];
}

function unit(name: string, kind: string, factor: number, plural = name, aliases: string[] = []) {
  return { name, plural, kind, factor, aliases };
}

const UNITS: Unit[] = [
  unit('g', 'mass', 1, 'g', ['gram', 'grams']),
  unit('kg', 'mass', 1000, 'kg', ['kilo', 'kilos']),
  unit('oz', 'mass', 28.35, 'oz', ['ounce', 'ounces']),
  unit('lb', 'mass', 453.6, 'lb', ['pound', 'pounds']),
  unit('ml', 'volume', 1),
  unit('cl', 'volume', 10),
  unit('dl', 'volume', 100),
  unit('l', 'volume', 1000, 'l', ['litre', 'litres', 'liter', 'liters']),
  unit('tsp', 'volume', 5, 'tsp', ['teaspoon', 'teaspoons']),
  unit('tbsp', 'volume', 15, 'tbsp', ['tablespoon', 'tablespoons']),
  unit('cup', 'volume', 240, 'cups'),
  unit('piece', 'count', 1, 'pieces', ['pc', 'pcs']),
  unit('dozen', 'count', 12, 'dozen'),
  unit('clove', 'clove', 1, 'cloves'),
  unit('bunch', 'bunch', 1, 'bunches'),
  unit('can', 'can', 1, 'cans', ['tin', 'tins']),
  unit('slice', 'slice', 1, 'slices'),
  unit('pinch', 'pinch', 1, 'pinches'),
];

/** Built-in units and what units.json adds: units, densities (g per ml), weights (g per piece). */
export function loadUnits(files: any): any {
  const tables: any = { units: [...UNITS], densities: {}, weights: {} };
  const text = files.readOptional('units.json');
  if (text === null) {
    return tables;
  }
  const data: any = parseJson(text, 'units.json');
  for (const key of Object.keys(data)) {
    if (!['units', 'densities', 'weights'].includes(key)) {
      throw new DataError('units.json', key, 'unknown setting');
    }
  }
  if (data.units !== undefined && !Array.isArray(data.units)) {
    throw new DataError('units.json', 'units', 'expected a list');
  }
  (data.units ?? []).forEach((entry: any, index: number) => {
    const path = `units[${index}]`;
    checkObject(entry, 'units.json', path);
    checkText(entry.name, 'units.json', `${path}.name`);
    if (findUnit(tables, entry.name) !== null) {
      throw new DataError('units.json', `${path}.name`, `the unit "${entry.name}" exists already`);
    }
    if (!['mass', 'volume', 'count'].includes(entry.kind)) {
      throw new DataError('units.json', `${path}.kind`, 'expected mass, volume or count');
    }
    checkPositive(entry.factor, 'units.json', `${path}.factor`);
    if (entry.plural !== undefined) {
      checkText(entry.plural, 'units.json', `${path}.plural`);
    }
    tables.units.push(unit(entry.name, entry.kind, entry.factor, entry.plural ?? entry.name));
  });
  for (const key of ['densities', 'weights']) {
    if (data[key] !== undefined) {
      checkObject(data[key], 'units.json', key);
      for (const [name, value] of Object.entries(data[key])) {
        checkPositive(value, 'units.json', `${key}.${name}`);
        tables[key][normalise(name)] = value;
      }
    }
  }
  return tables;
}

export function findUnit(tables: any, word: string): any {
  const wanted = word.toLowerCase();
  for (const entry of tables.units) {
    if (entry.name === wanted || entry.plural === wanted || entry.aliases.includes(wanted)) {
      return entry;
    }
  }
  return null;
}

export function requireUnit(tables: any, word: string): any {
  const found = findUnit(tables, word);
  if (found === null) {
    const names = tables.units.map((entry: any) => entry.name);
    const close = similar(word.toLowerCase(), names)[0];
    const hint = close === undefined ? '' : `; did you mean ${close}?`;
    throw new UnitError(`unknown unit "${word}"${hint}`);
  }
  return found;
}

/** How much of `to` an amount of `from` is. Between kinds it takes the ingredient's density or weight. */
export function convert(
  tables: any,
  amount: number,
  from: string,
  to: string,
  ingredient?: string,
): number {
  const source = requireUnit(tables, from);
  const target = requireUnit(tables, to);
  const base = amount * source.factor;
  if (source.kind === target.kind) {
    return base / target.factor;
  }
  const grams = toGrams(tables, base, source.kind, ingredient);
  if (grams !== null && target.kind === 'mass') {
    return grams / target.factor;
  }
  if (grams !== null && ingredient !== undefined) {
    const name = normalise(ingredient);
    if (target.kind === 'volume' && tables.densities[name] !== undefined) {
      return grams / tables.densities[name] / target.factor;
    }
    if (target.kind === 'count' && tables.weights[name] !== undefined) {
      return grams / tables.weights[name] / target.factor;
    }
  }
  const what = ingredient === undefined ? '' : ` of ${ingredient}`;
  throw new UnitError(`cannot convert ${source.name}${what} to ${target.name}`);
}

function toGrams(tables: any, base: number, kind: string, ingredient?: string): any {
  if (kind === 'mass') {
    return base;
  }
  if (ingredient === undefined) {
    return null;
  }
  const name = normalise(ingredient);
  if (kind === 'volume' && tables.densities[name] !== undefined) {
    return base * tables.densities[name];
  }
  if (kind === 'count' && tables.weights[name] !== undefined) {
    return base * tables.weights[name];
  }
  return null;
}

// Amounts

const GLYPHS: Record<string, number> = {
  '½': 1 / 2,
  '¼': 1 / 4,
  '¾': 3 / 4,
  '⅓': 1 / 3,
  '⅔': 2 / 3,
  '⅛': 1 / 8,
};
const NUMBER = /^(?:(\d+)\s+(\d+)\/(\d+)|(\d+)\/(\d+)|(\d+)?([½¼¾⅓⅔⅛])|(\d+(?:\.\d+)?))/;

/** The number at the start of a text and what follows it; null if there is none. */
export function takeNumber(text: string): any {
  const match = NUMBER.exec(text);
  if (match === null) {
    return null;
  }
  const rest = text.slice(match[0].length);
  if (/^\s*[-–]\s*\d/.test(rest)) {
    throw new UnitError('ranges are not supported; write one amount');
  }
  const [, whole, over, under, alone, below, before, glyph, plain] = match;
  let value: number;
  if (under !== undefined) {
    value = Number(whole) + divide(over, under);
  } else if (below !== undefined) {
    value = divide(alone, below);
  } else if (glyph !== undefined) {
    value = Number(before ?? 0) + GLYPHS[glyph]!;
  } else {
    value = Number(plain);
  }
  return { value, rest: rest.trimStart() };
}

function divide(over: any, under: any): number {
  if (Number(under) === 0) {
    throw new UnitError(`"${over}/${under}" divides by zero`);
  }
  return Number(over) / Number(under);
}

/** An amount with its unit, such as "1 1/2 tbsp"; pieces need no unit. */
export function parseQuantity(tables: any, text: string): any {
  const number = takeNumber(text.trim());
  if (number === null) {
    throw new UnitError(`"${text}" does not start with an amount`);
  }
  if (number.value <= 0) {
    throw new UnitError('an amount has to be more than zero');
  }
  const found = number.rest === '' ? findUnit(tables, 'piece') : requireUnit(tables, number.rest);
  return { amount: number.value, unit: found.name };
}

/** For reading. Many grams become kilograms, many millilitres litres. */
export function formatQuantity(tables: any, quantity: any): string {
  let { amount, unit: name } = quantity;
  if ((name === 'g' || name === 'ml') && amount >= 1000) {
    amount /= 1000;
    name = name === 'g' ? 'kg' : 'l';
  }
  const found = findUnit(tables, name);
  const number =
    found.kind === 'mass' && amount >= 10 ? String(Math.round(amount)) : fraction(amount);
  if (found.name === 'piece') {
    return number;
  }
  return `${number} ${amount > 1 ? found.plural : found.name}`;
}

// Recipes

const HEADERS = ['serves', 'time', 'tags', 'source'];

/** Reads the text of a recipe: a title, headers, ingredients ("- ") and numbered steps. */
export function parseRecipe(text: string, file: string, tables: any): any {
  const recipe: any = {
    id: file.replace(/^.*\//, '').replace(/\.recipe$/, ''),
    title: '',
    serves: 0,
    minutes: null,
    tags: [],
    source: null,
    ingredients: [],
    steps: [],
  };
  const seen = new Set<string>();
  const lines = text.split(/\r?\n/);
  lines.forEach((raw, index) => {
    const line = raw.trim();
    const number = index + 1;
    if (line === '' || line.startsWith('//')) {
      return;
    }
    if (recipe.title === '') {
      if (!line.startsWith('# ') || line.slice(2).trim() === '') {
        throw new LineError(file, number, 'expected a title such as "# Leek soup"');
      }
      recipe.title = line.slice(2).trim();
    } else if (line.startsWith('- ')) {
      if (recipe.steps.length > 0) {
        throw new LineError(file, number, 'an ingredient after the first step');
      }
      recipe.ingredients.push(parseIngredient(line.slice(2), file, number, tables));
    } else if (/^\d+\./.test(line)) {
      const step = /^(\d+)\.\s*(.*)$/.exec(line)!;
      if (Number(step[1]) !== recipe.steps.length + 1) {
        throw new LineError(
          file,
          number,
          `expected step ${recipe.steps.length + 1}, found ${step[1]}`,
        );
      }
      recipe.steps.push(step[2]);
    } else if (recipe.steps.length > 0) {
      recipe.steps[recipe.steps.length - 1] += ` ${line}`;
    } else if (recipe.ingredients.length === 0) {
      readHeader(recipe, seen, line, file, number);
    } else {
      throw new LineError(file, number, `cannot understand "${line}"`);
    }
  });
  if (recipe.title === '') {
    throw new LineError(file, 1, 'the file is empty');
  }
  if (recipe.serves === 0) {
    throw new LineError(file, 1, 'the header "serves" is missing');
  }
  if (recipe.ingredients.length === 0) {
    throw new LineError(file, lines.length, 'no ingredients');
  }
  return recipe;
}

function readHeader(
  recipe: any,
  seen: Set<string>,
  line: string,
  file: string,
  number: number,
): void {
  const colon = line.indexOf(':');
  const key = line.slice(0, colon).trim().toLowerCase();
  const value = line.slice(colon + 1).trim();
  if (colon === -1 || !HEADERS.includes(key)) {
    throw new LineError(file, number, `expected a header (${HEADERS.join(', ')})`);
  }
  if (seen.has(key)) {
    throw new LineError(file, number, `the header "${key}" is given twice`);
  }
  seen.add(key);
  if (key === 'serves') {
    recipe.serves = Number(value);
    if (!Number.isInteger(recipe.serves) || recipe.serves < 1) {
      throw new LineError(file, number, `serves: "${value}" is not a whole number from 1 on`);
    }
  } else if (key === 'time') {
    try {
      recipe.minutes = parseDuration(value);
    } catch (error: any) {
      throw new LineError(file, number, `time: ${error.message}`);
    }
  } else if (key === 'tags') {
    recipe.tags = value.split(',').map((tag) => tag.trim().toLowerCase());
  } else {
    recipe.source = value;
  }
}

/** One ingredient: "500 g potatoes, peeled", "1 l @vegetable-stock", "salt (optional)". */
export function parseIngredient(text: string, file: string, line: number, tables: any): any {
  const ingredient: any = {
    amount: null,
    unit: null,
    name: '',
    note: '',
    ref: null,
    optional: false,
    line,
  };
  let rest = text.trim();
  if (rest.endsWith('(optional)')) {
    ingredient.optional = true;
    rest = rest.slice(0, -'(optional)'.length).trim();
  }
  const comma = rest.indexOf(',');
  if (comma !== -1) {
    ingredient.note = rest.slice(comma + 1).trim();
    rest = rest.slice(0, comma).trim();
  }
  let number: any;
  try {
    number = takeNumber(rest);
  } catch (error: any) {
    throw new LineError(file, line, error.message);
  }
  if (number !== null) {
    if (number.value <= 0) {
      throw new LineError(file, line, 'an amount has to be more than zero');
    }
    const [word, ...others] = number.rest.split(/\s+/);
    const found = others.length > 0 ? findUnit(tables, word) : null;
    ingredient.amount = number.value;
    ingredient.unit = found === null ? 'piece' : found.name;
    rest = found === null ? number.rest : others.join(' ');
  }
  if (rest.startsWith('@')) {
    ingredient.ref = rest.slice(1);
    if (!/^[a-z0-9-]+$/.test(ingredient.ref)) {
      throw new LineError(file, line, `"${rest}" is not a reference such as @vegetable-stock`);
    }
    if (ingredient.amount === null) {
      throw new LineError(file, line, `the reference ${rest} needs an amount`);
    }
    rest = ingredient.ref.replaceAll('-', ' ');
  }
  if (rest === '') {
    throw new LineError(file, line, 'the ingredient has no name');
  }
  ingredient.name = rest;
  return ingredient;
}

/** A recipe as text that `parseRecipe` reads again. */
export function formatRecipe(recipe: any, tables: any): string {
  const lines = [`# ${recipe.title}`, `serves: ${recipe.serves}`];
  if (recipe.minutes !== null) {
    lines.push(`time: ${formatDuration(recipe.minutes)}`);
  }
  if (recipe.tags.length > 0) {
    lines.push(`tags: ${recipe.tags.join(', ')}`);
  }
  if (recipe.source !== null) {
    lines.push(`source: ${recipe.source}`);
  }
  lines.push('', ...recipe.ingredients.map((entry: any) => `- ${formatIngredient(entry, tables)}`));
  if (recipe.steps.length > 0) {
    lines.push('', ...recipe.steps.map((step: string, index: number) => `${index + 1}. ${step}`));
  }
  return `${lines.join('\n')}\n`;
}

export function formatIngredient(ingredient: any, tables: any): string {
  const amount = ingredient.amount === null ? '' : `${formatQuantity(tables, ingredient)} `;
  const name = ingredient.ref === null ? ingredient.name : `@${ingredient.ref}`;
  const note = ingredient.note === '' ? '' : `, ${ingredient.note}`;
  return `${amount}${name}${note}${ingredient.optional ? ' (optional)' : ''}`;
}

/** Ids of all recipes in the kitchen. */
export function recipeIds(files: any): string[] {
  return files.list('recipes', '.recipe').map((name: string) => name.slice(0, -'.recipe'.length));
}

export function loadRecipe(files: any, id: string, tables: any): any {
  const ids = recipeIds(files);
  const wanted = slug(id);
  if (!ids.includes(wanted)) {
    throw new NotFoundError('recipe', id, similar(wanted, ids));
  }
  const file = `recipes/${wanted}.recipe`;
  return parseRecipe(files.read(file), file, tables);
}

export function scaleRecipe(recipe: any, serves: number): any {
  const factor = serves / recipe.serves;
  const ingredients = recipe.ingredients.map((entry: any) => ({
    ...entry,
    amount: entry.amount === null ? null : entry.amount * factor,
  }));
  return { ...recipe, serves, ingredients };
}

/** All ingredients with references replaced by what the referred recipe takes. */
export function flatten(files: any, recipe: any, tables: any, path: string[] = []): any[] {
  if (path.includes(recipe.id)) {
    throw new CycleError([...path.slice(path.indexOf(recipe.id)), recipe.id]);
  }
  const result: any[] = [];
  for (const entry of recipe.ingredients) {
    if (entry.ref === null) {
      result.push({ ...entry, from: recipe.id });
      continue;
    }
    const other = loadRecipe(files, entry.ref, tables);
    const serves =
      entry.unit === 'piece' ? entry.amount : other.serves * shareOf(entry, other, tables);
    result.push(...flatten(files, scaleRecipe(other, serves), tables, [...path, recipe.id]));
  }
  return result;
}

/** What part of a recipe an amount of it is: by the total of what it holds in the same kind. */
function shareOf(entry: any, other: any, tables: any): number {
  let total = 0;
  for (const part of other.ingredients) {
    if (part.amount !== null) {
      try {
        total += convert(tables, part.amount, part.unit, entry.unit, part.name);
      } catch (error: any) {
        if (!(error instanceof UnitError)) {
          throw error;
        }
      }
    }
  }
  if (total === 0) {
    throw new UnitError(
      `cannot tell how much of ${other.id} ${fraction(entry.amount)} ${entry.unit} is`,
    );
  }
  return entry.amount / total;
}

/** A recipe from the JSON of other programs. */
export function recipeFromJson(text: string, file: string, tables: any): any {
  const data: any = parseJson(text, file);
  checkText(data.name, file, 'name');
  if (!Number.isInteger(data.servings) || data.servings < 1) {
    throw new DataError(file, 'servings', 'expected a whole number from 1 on');
  }
  if (!Array.isArray(data.ingredients) || data.ingredients.length === 0) {
    throw new DataError(file, 'ingredients', 'expected a list that is not empty');
  }
  const ingredients = data.ingredients.map((entry: any, index: number) => {
    checkText(entry, file, `ingredients[${index}]`);
    try {
      return parseIngredient(entry, file, index + 1, tables);
    } catch (error: any) {
      if (error instanceof LineError) {
        throw new DataError(file, `ingredients[${index}]`, error.problem);
      }
      throw error;
    }
  });
  const steps: any = data.instructions ?? [];
  if (!Array.isArray(steps)) {
    throw new DataError(file, 'instructions', 'expected a list');
  }
  steps.forEach((step: any, index: number) => checkText(step, file, `instructions[${index}]`));
  if (data.minutes !== undefined) {
    checkPositive(data.minutes, file, 'minutes');
  }
  if (data.keywords !== undefined && !Array.isArray(data.keywords)) {
    throw new DataError(file, 'keywords', 'expected a list');
  }
  const tags = (data.keywords ?? []).map((tag: any, index: number) => {
    checkText(tag, file, `keywords[${index}]`);
    return tag.toLowerCase();
  });
  if (data.url !== undefined) {
    checkText(data.url, file, 'url');
  }
  return {
    id: slug(data.name),
    title: data.name,
    serves: data.servings,
    minutes: data.minutes ?? null,
    tags,
    source: data.url ?? null,
    ingredients,
    steps,
  };
}

// Pantry

/** What is at home: name, amount, unit and the day until which it is best. */
export function loadPantry(files: any, tables: any): any[] {
  const text = files.readOptional('pantry.json');
  if (text === null) {
    return [];
  }
  const data: any = parseJson(text, 'pantry.json');
  if (!Array.isArray(data.items)) {
    throw new DataError('pantry.json', 'items', 'expected a list');
  }
  return data.items.map((item: any, index: number) => {
    const path = `items[${index}]`;
    checkObject(item, 'pantry.json', path);
    checkText(item.name, 'pantry.json', `${path}.name`);
    checkPositive(item.amount, 'pantry.json', `${path}.amount`);
    checkText(item.unit, 'pantry.json', `${path}.unit`);
    const found = findUnit(tables, item.unit);
    if (found === null) {
      throw new DataError('pantry.json', `${path}.unit`, `unknown unit "${item.unit}"`);
    }
    if (item.best !== undefined && !isDay(item.best)) {
      throw new DataError('pantry.json', `${path}.best`, 'expected a day such as 2024-03-04');
    }
    return { name: item.name, amount: item.amount, unit: found.name, best: item.best ?? null };
  });
}

export function savePantry(files: any, items: any[]): void {
  const plain = items.map((item) => ({
    name: item.name,
    amount: Math.round(item.amount * 1000) / 1000,
    unit: item.unit,
    ...(item.best === null ? {} : { best: item.best }),
  }));
  files.write('pantry.json', `${JSON.stringify({ items: plain }, null, 2)}\n`);
}

/** Adds to the item of the same name and day, in its unit, or as a new item. */
export function addItem(items: any[], added: any, tables: any): any[] {
  const same = items.find(
    (item) => normalise(item.name) === normalise(added.name) && item.best === added.best,
  );
  if (same === undefined) {
    return [...items, added];
  }
  const amount = same.amount + convert(tables, added.amount, added.unit, same.unit, same.name);
  return items.map((item) => (item === same ? { ...same, amount } : item));
}

/** Takes an amount from the items of that name, the one that spoils first before the others. */
export function takeItem(items: any[], wanted: any, tables: any): any {
  const order = items
    .filter((item) => normalise(item.name) === normalise(wanted.name))
    .sort((one, other) => ((one.best ?? '9999') < (other.best ?? '9999') ? -1 : 1));
  let missing = wanted.amount;
  let left = items;
  for (const item of order) {
    if (missing <= 1e-9) {
      break;
    }
    const here = convert(tables, item.amount, item.unit, wanted.unit, wanted.name);
    const taken = Math.min(here, missing);
    missing -= taken;
    const rest = here - taken;
    left = left.flatMap((entry) => {
      if (entry !== item) {
        return [entry];
      }
      return rest <= 1e-9 ? [] : [{ ...item, amount: (item.amount * rest) / here }];
    });
  }
  return { items: left, missing: missing <= 1e-9 ? 0 : missing };
}

/** The pantry after a recipe was cooked from it. */
export function cook(
  items: any[],
  recipe: any,
  needs: any[],
  tables: any,
  staples: string[],
): any[] {
  let left = items;
  const missing: string[] = [];
  for (const need of mergeNeeds(needs, tables)) {
    if (need.amount === null || isStaple(need.name, staples)) {
      continue;
    }
    const taken = takeItem(left, need, tables);
    left = taken.items;
    if (taken.missing > 0 && !need.optional) {
      missing.push(`${formatQuantity(tables, { ...need, amount: taken.missing })} ${need.name}`);
    }
  }
  if (missing.length > 0) {
    throw new StockError(recipe.id, missing);
  }
  return left;
}

export function isStaple(name: string, staples: string[]): boolean {
  return staples.some((entry) => normalise(entry) === normalise(name));
}

// Prices

/** Packs by normalised name of the ingredient: how much is in one and what it costs. */
export function loadPrices(files: any, tables: any): Map<string, any> {
  const prices = new Map<string, any>();
  const text = files.readOptional('prices.csv');
  if (text === null) {
    return prices;
  }
  for (const row of parseCsv(text, 'prices.csv', ['name', 'pack', 'price'])) {
    const key = normalise(row.name);
    if (row.name === '') {
      throw new LineError('prices.csv', row.line, 'name: empty');
    }
    if (prices.has(key)) {
      throw new LineError('prices.csv', row.line, `name: "${row.name}" has a price already`);
    }
    let pack: any;
    let cents: number;
    try {
      pack = parseQuantity(tables, row.pack);
    } catch (error: any) {
      throw new LineError('prices.csv', row.line, `pack: ${error.message}`);
    }
    try {
      cents = parseMoney(row.price);
    } catch (error: any) {
      throw new LineError('prices.csv', row.line, `price: ${error.message}`);
    }
    prices.set(key, { name: row.name, amount: pack.amount, unit: pack.unit, cents });
  }
  return prices;
}

/** What an amount costs by its share of a pack, in cents; null if no price is known. */
export function shareCost(prices: Map<string, any>, need: any, tables: any): any {
  const price = prices.get(normalise(need.name));
  if (price === undefined || need.amount === null) {
    return null;
  }
  const amount = convert(tables, need.amount, need.unit, price.unit, need.name);
  return Math.round((amount / price.amount) * price.cents);
}

/** Whole packs to buy for an amount; null if no price is known. */
export function packsFor(prices: Map<string, any>, need: any, tables: any): any {
  const price = prices.get(normalise(need.name));
  if (price === undefined || need.amount === null) {
    return null;
  }
  const amount = convert(tables, need.amount, need.unit, price.unit, need.name);
  const packs = Math.ceil(amount / price.amount - 1e-9);
  return { packs, cents: packs * price.cents, pack: price };
}

// Plan

/** Meals of plan.txt, one a line: day, slot, recipe and, with "x6", for how many. */
export function parsePlan(text: string, file: string, config: any): any[] {
  const meals: any[] = [];
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = raw.replace(/#.*$/, '').trim();
    const number = index + 1;
    if (line === '') {
      return;
    }
    const words = line.split(/\s+/);
    if (words.length < 3 || words.length > 4) {
      throw new LineError(file, number, 'expected "day slot recipe [xN]"');
    }
    const [date, slot, recipe, times] = words as [string, string, string, string | undefined];
    if (!isDay(date)) {
      throw new LineError(file, number, `"${date}" is not a day such as 2024-03-04`);
    }
    if (!config.slots.includes(slot)) {
      throw new LineError(file, number, `unknown slot "${slot}" (${config.slots.join(', ')})`);
    }
    if (meals.some((meal) => meal.date === date && meal.slot === slot)) {
      throw new LineError(file, number, `a second ${slot} on ${date}`);
    }
    let serves: any = null;
    if (times !== undefined) {
      if (!/^x[1-9]\d*$/.test(times)) {
        throw new LineError(file, number, `"${times}" is not a number of servings such as x6`);
      }
      serves = Number(times.slice(1));
    }
    meals.push({ date, slot, recipe, serves, line: number });
  });
  return meals.sort(
    (one, other) =>
      (one.date < other.date ? -1 : one.date > other.date ? 1 : 0) ||
      config.slots.indexOf(one.slot) - config.slots.indexOf(other.slot),
  );
}

export function loadPlan(files: any, file: string, config: any): any[] {
  return parsePlan(files.read(file), file, config);
}

export function formatMeal(meal: any): string {
  const serves = meal.serves === null ? '' : ` x${meal.serves}`;
  return `${meal.date} ${meal.slot} ${meal.recipe}${serves}`;
}

export function mealTitle(meal: any): string {
  return `${weekday(meal.date)} ${meal.date}`;
}

// Shopping

/** Amounts of the same ingredient as one, in the unit of the first; apart where units do not convert. */
export function mergeNeeds(needs: any[], tables: any): any[] {
  const merged: any[] = [];
  for (const need of needs) {
    const same = merged.filter((entry) => normalise(entry.name) === normalise(need.name));
    let done = false;
    for (const entry of same) {
      if (need.amount === null || entry.amount === null) {
        if (need.amount === entry.amount) {
          entry.optional = entry.optional && need.optional;
          done = true;
          break;
        }
        continue;
      }
      try {
        entry.amount += convert(tables, need.amount, need.unit, entry.unit, need.name);
      } catch (error: any) {
        if (error instanceof UnitError) {
          continue;
        }
        throw error;
      }
      entry.optional = entry.optional && need.optional;
      done = true;
      break;
    }
    if (!done) {
      merged.push({
        name: need.name,
        amount: need.amount,
        unit: need.unit,
        optional: need.optional,
      });
    }
  }
  return merged;
}

/** What the meals need and the pantry does not hold, by aisle. Staples are never bought. */
export function shoppingList(
  files: any,
  meals: any[],
  pantry: any[],
  prices: Map<string, any>,
  config: any,
  tables: any,
): any {
  const needs: any[] = [];
  for (const meal of meals) {
    let recipe: any;
    try {
      recipe = loadRecipe(files, meal.recipe, tables);
    } catch (error: any) {
      if (error instanceof NotFoundError && meal.line !== undefined) {
        throw new LarderError(`${error.message}, planned for ${meal.date} (${meal.slot})`);
      }
      throw error;
    }
    const scaled = scaleRecipe(recipe, meal.serves ?? recipe.serves);
    needs.push(...flatten(files, scaled, tables));
  }
  let left = pantry;
  let total = 0;
  const unpriced: string[] = [];
  const aisles = new Map<string, any[]>();
  for (const need of mergeNeeds(needs, tables)) {
    if (isStaple(need.name, config.staples) || need.optional) {
      continue;
    }
    let buy = need;
    if (need.amount !== null) {
      const taken = takeItem(left, need, tables);
      left = taken.items;
      if (taken.missing === 0) {
        continue;
      }
      buy = { ...need, amount: taken.missing };
    } else if (left.some((item) => normalise(item.name) === normalise(need.name))) {
      continue;
    }
    const packs = packsFor(prices, buy, tables);
    if (packs === null) {
      unpriced.push(buy.name);
    } else {
      total += packs.cents;
    }
    const aisle = aisleOf(config, buy.name);
    aisles.set(aisle, [...(aisles.get(aisle) ?? []), { ...buy, packs }]);
  }
  const order = [...Object.keys(config.aisles), 'other'];
  const sorted = order
    .filter((aisle) => aisles.has(aisle))
    .map((aisle) => ({
      aisle,
      entries: aisles.get(aisle)!.sort((one, other) => (one.name < other.name ? -1 : 1)),
    }));
  return { aisles: sorted, total, unpriced: unpriced.sort() };
}

// JSON

export function parseJson(text: string, file: string): any {
  let data: any;
  try {
    data = JSON.parse(text);
  } catch {
    throw new DataError(file, '', 'not valid JSON');
  }
  checkObject(data, file, '');
  return data;
}

function checkObject(value: any, file: string, path: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DataError(file, path, 'expected an object');
  }
}

function checkText(value: any, file: string, path: string): void {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new DataError(file, path, 'expected a text');
  }
}

function checkPositive(value: any, file: string, path: string): void {
  if (typeof value !== 'number' || !(value > 0)) {
    throw new DataError(file, path, 'expected a number above zero');
  }
}
