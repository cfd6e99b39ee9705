// Lists a folder for the harness, one JSON array a line:
//   ["f", path, SHA-512 of the content]    ["l", path, target of the link]    ["o", path]
//   ["p", folder, name, version]           what a package's package.json says it is
// and last ["end"], or ["too-much", why] when a bound was hit. Links are never followed.
// Usage: node list_tree.js FOLDER hash|links [TOP-LEVEL NAME TO LEAVE OUT]...
'use strict';
const fs = require('fs');
const crypto = require('crypto');
const path = require('path');

const MAX_ENTRIES = 400000;
const MAX_DEPTH = 100;
const MAX_BYTES = 4 * 1024 * 1024 * 1024;
const PACKAGE = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;

const [root, mode, ...leftOut] = process.argv.slice(2);
let lines = [];
let entries = 0;
let bytes = 0;

function say(...words) {
  lines.push(JSON.stringify(words));
  if (lines.length >= 2000) flush();
}

function flush() {
  if (!lines.length) return;
  const text = Buffer.from(lines.join('\n') + '\n');
  lines = [];
  for (let at = 0; at < text.length; ) {
    try {
      at += fs.writeSync(1, text, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

class TooMuch extends Error {}

function file(name, full) {
  const content = fs.readFileSync(full);
  bytes += content.length;
  if (bytes > MAX_BYTES) throw new TooMuch(`more than ${MAX_BYTES} bytes`);
  say('f', name, crypto.createHash('sha512').update(content).digest('hex'));
  if (PACKAGE.test('node_modules/' + name)) {
    let about = {};
    try {
      about = JSON.parse(content.toString('utf8').replace(/^\uFEFF/, '')) || {};
    } catch {
      // What it says is then nothing; its content is compared all the same.
    }
    say('p', path.posix.dirname(name), String(about.name).slice(0, 300), String(about.version).slice(0, 300));
  }
}

function visit(folder, prefix, depth) {
  if (depth > MAX_DEPTH) throw new TooMuch(`folders nested deeper than ${MAX_DEPTH}`);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (depth === 0 && leftOut.includes(entry.name)) continue;
    if (++entries > MAX_ENTRIES) throw new TooMuch(`more than ${MAX_ENTRIES} entries`);
    const name = prefix + entry.name;
    const full = folder + '/' + entry.name;
    if (entry.name.includes('\uFFFD')) say('o', name);
    else if (entry.isDirectory()) visit(full, name + '/', depth + 1);
    else if (entry.isSymbolicLink()) say('l', name, fs.readlinkSync(full));
    else if (!entry.isFile()) say('o', name);
    else if (mode === 'hash') file(name, full);
  }
}

try {
  const top = fs.lstatSync(root, { throwIfNoEntry: false });
  if (top && top.isDirectory()) visit(root, '', 0);
  else if (top) say('o', '.');
  say('end');
} catch (error) {
  if (!(error instanceof TooMuch)) throw error;
  say('too-much', error.message);
}
flush();
