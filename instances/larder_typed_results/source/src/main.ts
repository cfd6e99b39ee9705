#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { run } from './cli.js';

process.exitCode = run(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  now: () => new Date().toISOString().slice(0, 10),
  stdin: () => readFileSync(0, 'utf8'),
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
});
