// The harness's reporter for Vitest 1 and later: names on the command line beat what the project
// configures.

import { createRequire } from 'node:module';

const { outcomes } = createRequire(import.meta.url)('./report.cjs');

function* casesOf(task, suites) {
  if (task.type === 'suite') {
    for (const inner of task.tasks) yield* casesOf(inner, [...suites, task.name]);
  } else {
    const state = task.result?.state;
    const outcome = state === 'pass' ? 'passed' : state === 'fail' ? 'failed' : 'skipped';
    yield [[...suites, task.name], task.mode === 'run' || state === 'fail' ? outcome : 'skipped'];
  }
}

export default class {
  #told = false;

  // Vitest 1 and 2, and 3 beside the other one.
  onFinished(files = [], errors = []) {
    this.#finish(
      files.map((file) => ({
        path: file.filepath,
        cases: file.tasks.flatMap((task) => [...casesOf(task, [])]),
        errors: file.result?.errors ?? [],
      })),
      errors,
    );
  }

  // Vitest 3 and later.
  onTestRunEnd(modules, errors, reason) {
    this.#finish(
      modules.map((module) => ({
        path: module.moduleId,
        cases: [...module.children.allTests()].map((test) => [namesOf(test), stateOf(test)]),
        errors: module.errors(),
      })),
      reason === 'interrupted' ? [...errors, new Error('the run was interrupted')] : errors,
    );
  }

  #finish(files, errors) {
    // Vitest 3 calls both.
    if (this.#told) return;
    this.#told = true;
    const report = outcomes();
    // Files come in the order they end in.
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    for (const file of files) {
      for (const error of file.errors) report.error(error.message ?? error);
      for (const [names, outcome] of file.cases) report.note(names, outcome);
    }
    for (const error of errors) report.error(error.message ?? error);
    report.write();
  }
}

function namesOf(test) {
  const names = [test.name];
  for (let at = test.parent; at.type === 'suite'; at = at.parent) names.unshift(at.name);
  return names;
}

function stateOf(test) {
  const { state } = test.result();
  return state === 'passed' || state === 'failed' ? state : 'skipped';
}
