// Whether turns of the wheel and of a finger are over before the next thing is done, with a page that
// takes input only when its clock goes on, as pages do whose frames are late. As JSON.
//
// usage: node person.mjs DRIVER_FOLDER

import { pathToFileURL } from 'node:url';

const from = (name) => import(pathToFileURL(`${process.argv[2]}/${name}`).href);
const [{ Person }, { Clock }] = [await from('person.mjs'), await from('clock.mjs')];
const LATE = 400;

/** What was sent for a turn, and what of it the page has taken at its end. */
async function turned(turn) {
  const waiting = [];
  const taken = [];
  let sent = 0;
  let elapsed = 0;
  const listeners = {};
  const cdp = {
    on: (event, listener) => {
      listeners[event] = listener;
    },
    async send(method, { budget }) {
      if (method === 'Emulation.setVirtualTimePolicy') {
        elapsed += budget;
        setImmediate(() => {
          for (const each of waiting.filter(({ until }) => until <= elapsed)) {
            waiting.splice(waiting.indexOf(each), 1);
            each.done();
          }
          listeners['Emulation.virtualTimeBudgetExpired']();
        });
      }
    },
  };
  const asked = {
    send(method, { type }) {
      sent += 1;
      const until = elapsed + LATE;
      return new Promise((done) => {
        waiting.push({ until, done: () => done(taken.push(type)) });
      });
    },
  };
  const chance = { below: () => 0 };
  const person = new Person(asked, new Clock(cdp, 10_000), chance, null);
  await turn(person);
  return { sent, taken };
}

const finger = await turned((person) => person.drag({ x: 1, y: 1 }, 100));
const wheel = await turned((person) => person.wheel({ x: 1, y: 1 }, 100));
console.log(JSON.stringify({ finger, wheel }));
