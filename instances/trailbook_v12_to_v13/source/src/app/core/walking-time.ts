import { Hike, Trail } from './models';

const MINUTES_PER_KM = 12;
const MINUTES_PER_METRE_UP = 0.1;

/** Naismith's rule: five kilometres an hour, and an hour more for each 600 metres up. */
export function expectedMinutes(trail: Pick<Trail, 'lengthKm' | 'ascentM'>): number {
  return Math.round(trail.lengthKm * MINUTES_PER_KM + trail.ascentM * MINUTES_PER_METRE_UP);
}

/** Minutes since midnight of an `hh:mm` time; NaN when it is not one. */
export function minutesOfDay(time: string): number {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
  return match ? Number(match[1]) * 60 + Number(match[2]) : NaN;
}

export function walkedMinutes(hike: Pick<Hike, 'startTime' | 'endTime'>): number {
  return minutesOfDay(hike.endTime) - minutesOfDay(hike.startTime);
}
