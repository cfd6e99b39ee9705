import { FormControl, FormGroup } from '@angular/forms';

import { endsAfterStart, plausiblePace } from './hike-validators';

function hike(startTime: string, endTime: string, distanceKm: number): FormGroup {
  return new FormGroup({
    startTime: new FormControl(startTime),
    endTime: new FormControl(endTime),
    distanceKm: new FormControl(distanceKm),
  });
}

describe('hike validators', () => {
  it('accept a hike that ends after it starts', () => {
    expect(endsAfterStart(hike('09:00', '09:01', 1))).toBeNull();
  });

  it('refuse a hike that ends before or when it starts', () => {
    expect(endsAfterStart(hike('09:00', '08:00', 1))).toEqual({ endsBeforeStart: true });
    expect(endsAfterStart(hike('09:00', '09:00', 1))).toEqual({ endsBeforeStart: true });
  });

  it('wait for both times', () => {
    expect(endsAfterStart(hike('09:00', '', 1))).toBeNull();
    expect(plausiblePace(9)(hike('09:00', '', 30))).toBeNull();
  });

  it('refuse a pace that nobody walks', () => {
    expect(plausiblePace(9)(hike('09:00', '10:00', 9))).toBeNull();
    expect(plausiblePace(9)(hike('09:00', '10:00', 12))).toEqual({
      tooFast: { kmh: 12, maxKmh: 9 },
    });
  });
});
