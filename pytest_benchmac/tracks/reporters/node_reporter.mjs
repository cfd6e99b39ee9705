// The harness's reporter for node:test, Node 20 and later (`--test-reporter`).

import { createRequire } from 'node:module';

const { outcomes } = createRequire(import.meta.url)('./report.cjs');

export default async function* reporter(events) {
  const report = outcomes();
  // Names of the suites around a test: those that began at a lower level and did not end.
  const path = [];
  const cases = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      path.length = data.nesting;
      path[data.nesting] = data.name;
    } else if (type === 'test:pass' || type === 'test:fail') {
      const suite = data.details?.type === 'suite';
      const names = [...path.slice(0, data.nesting), data.name];
      // A file of tests is a test too; it counts where it fails by itself.
      const file = data.nesting === 0 && data.name === data.file;
      const own = !file || data.details?.error?.failureType !== 'subtestsFailed';
      const failed = type === 'test:fail';
      const skipped = data.skip !== undefined || data.todo !== undefined;
      const outcome = failed ? 'failed' : skipped ? 'skipped' : 'passed';
      if (!suite && (failed ? own : !file)) cases.push([data.file ?? '', names, outcome]);
    }
    yield '';
  }
  // Files come in the order they end in.
  cases.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  for (const [, names, outcome] of cases) report.note(names, outcome);
  report.write();
}
