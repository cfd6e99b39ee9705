// What browsers that lack some of Chromium's names read of style sheets, as JSON.
//
// usage: node sheets.mjs DRIVER_FOLDER < JSON, a list of style sheets

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { readingWithout } = await import(pathToFileURL(`${process.argv[2]}/sheets.mjs`).href);
const lists = {
  at: 'function view-transition',
  selectors: 'picker playing',
  properties: 'corner-shape',
  functions: 'sibling-index if',
  values: { width: 'stretch' },
};
const read = readingWithout([lists]);
console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(read)));
