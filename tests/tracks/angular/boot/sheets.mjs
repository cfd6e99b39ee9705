// What browsers that lack some of Chromium's names read of style sheets, as JSON.
//
// usage: node sheets.mjs DRIVER_FOLDER < JSON, a list of style sheets; of a list in its place, what a page gets
//
// Such a list is a style sheet and a page, in which `{digest}` is the digest by which that wants it. It is so in the
// page that is answered as well, where that wants what is read.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { readBy, readingWithout } = await import(pathToFileURL(`${process.argv[2]}/sheets.mjs`).href);
const lists = {
  at: 'function view-transition',
  selectors: 'picker playing',
  properties: 'corner-shape',
  functions: 'sibling-index if',
  values: { width: 'stretch' },
};
const read = readingWithout([lists]);
const digest = (name, text) => `${name}-${createHash(name).update(text).digest('base64')}`;

function wanted(name, sheet, page) {
  const body = page.replace('{digest}', digest(name, sheet));
  const told = readBy(read, { contentType: 'text/html; charset=utf-8', body }, () => [Buffer.from(sheet)]);
  return told.body.replace(digest(name, read(sheet)), '{digest}');
}

const told = JSON.parse(readFileSync(0, 'utf8')).map((each) =>
  Array.isArray(each) ? ['sha256', 'sha384', 'sha512'].map((name) => wanted(name, ...each)) : read(each),
);
console.log(JSON.stringify(told));
