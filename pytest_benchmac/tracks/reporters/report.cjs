// What every reporter of the harness writes: see `Reported` in report.py.
'use strict';

const fs = require('fs');
const { result: resultFile, bounds } = require('./plan.json');

const cut = (text, length) => String(text).slice(0, length);

/** Collects the outcomes of one run. */
exports.outcomes = () => {
  const cases = [];
  const told = { cases, ended: false, errors: [], unkept: 0 };
  return {
    told,
    /** A case by the names of its suites and its own, with a `CaseOutcome`; details are printed. */
    note(names, outcome, details = '') {
      if (cases.length >= bounds.cases) {
        told.unkept += 1;
        return;
      }
      const name = cut(names.join(' > '), bounds.name);
      cases.push([name, outcome]);
      console.log(`${outcome}: ${name}`);
      if (details) console.log(cut(details, bounds.message));
    },
    /** An error outside of the cases: then the run did not come to its end. */
    error(what) {
      const text = cut(what && what.message ? what.message : what, bounds.message);
      if (told.errors.length < bounds.errors) told.errors.push(text);
      console.error(`Error: ${text}`);
    },
    write(ended = true) {
      told.ended = ended && told.errors.length === 0;
      fs.writeFileSync(resultFile, JSON.stringify(told));
    },
  };
};
