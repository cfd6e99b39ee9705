import type { Command } from '../args.js';
import { check } from './check.js';
import { convertCommand } from './convert.js';
import { cookCommand } from './cook.js';
import { cost } from './cost.js';
import { history } from './history.js';
import { importCommand } from './import.js';
import { list } from './list.js';
import { plan } from './plan.js';
import { shop } from './shop.js';
import { show } from './show.js';
import { stock } from './stock.js';

export const COMMANDS: Command[] = [
  list,
  show,
  check,
  convertCommand,
  cost,
  plan,
  shop,
  stock,
  cookCommand,
  history,
  importCommand,
];
