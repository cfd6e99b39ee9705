// The page's time: virtual, by the browser's own means. It stands unless it is advanced, and goes
// as fast as the page lets it; while requests are under way it waits for them.

import { NoAnswer, pause, within } from './common.mjs';

// A request that takes longer than this is one that never ends: time goes on beside it then.
const STUCK_MS = 2_000;
// What takes longer than this while time stands may wait for time to go on.
const STANDING_MS = 1_500;
const STEP_MS = 1_000;
const POLICY = 'Emulation.setVirtualTimePolicy';

/** True where something was late. */
function ifLate(error) {
  if (!(error instanceof NoAnswer)) {
    throw error;
  }
  return true;
}

export class Clock {
  constructor(cdp, answerMs) {
    this.cdp = cdp;
    this.answerMs = answerMs;
    /** When the page was opened, in milliseconds since 1970. */
    this.began = 0;
    /** Milliseconds that the page has lived. */
    this.elapsed = 0;
    /** Does it go on while requests are under way? Set where one is never answered. */
    this.always = false;
    /** What waits for time to go on while requests are under way: until when, and what is called then. */
    this.waiting = [];
    cdp.on('Emulation.virtualTimeBudgetExpired', () => this.expired?.());
  }

  /** Stand at a moment, in milliseconds since 1970. */
  start(now) {
    this.began = now;
    const told = { policy: 'pause', initialVirtualTime: now / 1000 };
    return within(this.cdp.send(POLICY, told), this.answerMs);
  }

  async advance(budget) {
    const expired = new Promise((done) => {
      this.expired = done;
    });
    const urged = new Promise((done) => {
      this.urge = done;
    });
    const waits = !this.always && this.waiting.length === 0;
    const policy = waits ? 'pauseIfNetworkFetchesPending' : 'advance';
    await within(this.cdp.send(POLICY, { policy, budget }), this.answerMs);
    const stuck = Math.min(STUCK_MS, this.answerMs);
    const goOn = Promise.race([expired.then(() => false), urged.then(() => waits)]);
    if (await within(goOn, stuck).catch(ifLate)) {
      await within(this.cdp.send(POLICY, { policy: 'advance', budget }), this.answerMs);
    }
    await within(expired, this.answerMs);
    this.elapsed += budget;
    const over = this.waiting.filter(({ until }) => until <= this.elapsed);
    this.waiting = this.waiting.filter((each) => !over.includes(each));
    over.forEach(({ done }) => done());
  }

  /** Wait until so many milliseconds have gone by, beside a request that is under way. */
  beside(budget) {
    const waited = new Promise((done) => {
      this.waiting.push({ until: this.elapsed + budget, done });
    });
    this.urge?.();
    return waited;
  }

  /** Go on until the page has lived so many milliseconds, if it has not yet. */
  async advanceTo(elapsed) {
    if (elapsed > this.elapsed) {
      await this.advance(elapsed - this.elapsed);
    }
  }

  /** Wait for something that may need time to go on, which most often it does not. */
  async during(promise) {
    let over = false;
    const done = promise.finally(() => {
      over = true;
    });
    done.catch(() => {});
    await Promise.race([done, pause(STANDING_MS)]).catch(() => {});
    while (!over) {
      await this.advance(STEP_MS);
      await pause(STANDING_MS / 5);
    }
    return done;
  }
}
