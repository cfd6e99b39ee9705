// The harness's reporter for Jest: names on the command line beat what the project configures.
'use strict';

const { outcomes } = require('./report.cjs');

module.exports = class {
  onRunComplete(contexts, results) {
    const report = outcomes();
    // Files come in the order they end in.
    const files = [...results.testResults];
    files.sort((a, b) => (a.testFilePath < b.testFilePath ? -1 : 1));
    // Older releases do not count, and say 0 of every case.
    const counted = files.some((file) => file.testResults.some((each) => each.numPassingAsserts));
    for (const file of files) {
      if (file.testExecError) report.error(file.failureMessage ?? file.testExecError.message);
      for (const { ancestorTitles, title, status, numPassingAsserts } of file.testResults) {
        const empty = counted && status === 'passed' && numPassingAsserts === 0;
        const outcome = { passed: 'passed', failed: 'failed' }[status] ?? 'skipped';
        report.note([...ancestorTitles, title], empty ? 'empty' : outcome);
      }
    }
    if (results.runExecError) report.error(results.runExecError.message);
    if (results.wasInterrupted) report.error('the run was interrupted');
    report.write();
  }
};
