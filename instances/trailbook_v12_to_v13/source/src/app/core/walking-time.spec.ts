import { expectedMinutes, minutesOfDay, walkedMinutes } from './walking-time';

describe('walking time', () => {
  it('follows the rule of Naismith', () => {
    expect(expectedMinutes({ lengthKm: 5, ascentM: 0 })).toBe(60);
    expect(expectedMinutes({ lengthKm: 5, ascentM: 600 })).toBe(120);
  });

  it('reads times of day', () => {
    expect(minutesOfDay('00:00')).toBe(0);
    expect(minutesOfDay('13:05')).toBe(785);
  });

  it('refuses what is not a time of day', () => {
    expect(minutesOfDay('24:00')).toBeNaN();
    expect(minutesOfDay('9:00')).toBeNaN();
    expect(minutesOfDay('')).toBeNaN();
  });

  it('is negative for a hike that ends before it starts', () => {
    expect(walkedMinutes({ startTime: '10:30', endTime: '10:00' })).toBe(-30);
  });
});
