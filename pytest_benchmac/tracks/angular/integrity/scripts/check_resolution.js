// Sees that imports of the framework lead to the installed packages, from every source of a tree.
// Prints one JSON array a line: [file, module, where it leads]; and last ["end"].
// Usage: node check_resolution.js PROJECT TSCONFIG FILE-WITH-NAMES
// Runs no code but the verified TypeScript's.
'use strict';
const fs = require('fs');
const path = require('path');

const MAX_FILES = 20000;
const MAX_FINDINGS = 100;
const MAX_SIZE = 4 * 1024 * 1024;

const [project, tsconfig, names] = process.argv.slice(2);
const ts = require(path.join(project, 'node_modules/typescript/lib/typescript.js'));
const packages = new Set(JSON.parse(fs.readFileSync(names, 'utf8')));
const { config } = ts.readConfigFile(tsconfig, ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(tsconfig));
const cache = ts.createModuleResolutionCache(project, (name) => name, options);
let files = 0;
let findings = 0;

function packageOf(module) {
  return module.split('/').slice(0, module.startsWith('@') ? 2 : 1).join('/');
}

function check(file) {
  if (fs.statSync(file).size > MAX_SIZE) return;
  const text = fs.readFileSync(file, 'utf8');
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    const name = packageOf(fileName);
    if (!packages.has(name)) continue;
    const found = ts.resolveModuleName(fileName, file, options, ts.sys, cache).resolvedModule;
    if (!found) continue;
    const place = path.relative(project, found.resolvedFileName);
    if (place.startsWith('node_modules/')) continue;
    process.stdout.write(JSON.stringify([path.relative(project, file), fileName, place]) + '\n');
    if (++findings >= MAX_FINDINGS) return;
  }
}

function visit(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === '.git') continue;
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) visit(full);
    else if (entry.isFile() && /\.[mc]?tsx?$/.test(entry.name)) {
      if (++files > MAX_FILES || findings >= MAX_FINDINGS) return;
      check(full);
    }
  }
}

visit(project);
process.stdout.write('["end"]\n');
