import { AbstractControl, ValidationErrors, ValidatorFn } from '@angular/forms';

import { walkedMinutes } from '../core/walking-time';

/** Cross-field: a hike ends on the day it starts, and after it. */
export const endsAfterStart: ValidatorFn = (form: AbstractControl): ValidationErrors | null => {
  const { startTime, endTime } = form.value;
  if (!startTime || !endTime) {
    return null;
  }
  return walkedMinutes({ startTime, endTime }) > 0 ? null : { endsBeforeStart: true };
};

/** Cross-field: nobody walks faster than `maxKmh`; more is a slip of the pen. */
export function plausiblePace(maxKmh: number): ValidatorFn {
  return (form: AbstractControl): ValidationErrors | null => {
    const { startTime, endTime, distanceKm } = form.value;
    const minutes = walkedMinutes({ startTime, endTime });
    if (!(minutes > 0) || !distanceKm) {
      return null;
    }
    const kmh = (distanceKm / minutes) * 60;
    return kmh > maxKmh ? { tooFast: { kmh: Math.round(kmh), maxKmh } } : null;
  };
}
