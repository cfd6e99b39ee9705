import { computed, Injectable, signal } from '@angular/core';

import { Trail } from '../core/models';
import { expectedMinutes } from '../core/walking-time';

export interface PlannedDay {
  name: string;
  trails: Trail[];
}

/** The longest day the planner calls sensible. */
const LONG_DAY_MINUTES = 8 * 60;

/** A weekend of walking; lives as long as the planner feature. */
@Injectable()
export class PlannerStore {
  readonly days = signal<PlannedDay[]>([
    { name: 'Saturday', trails: [] },
    { name: 'Sunday', trails: [] },
  ]);
  readonly minutesPerDay = computed(() =>
    this.days().map((day) =>
      day.trails.reduce((minutes, trail) => minutes + expectedMinutes(trail), 0),
    ),
  );
  readonly tooLong = computed(() =>
    this.minutesPerDay().some((minutes) => minutes > LONG_DAY_MINUTES),
  );
  readonly ascentM = computed(() =>
    this.days()
      .flatMap((day) => day.trails)
      .reduce((metres, trail) => metres + trail.ascentM, 0),
  );

  add(day: number, trail: Trail): void {
    this.days.mutate((days) => days[day].trails.push(trail));
  }

  remove(day: number, position: number): void {
    this.days.mutate((days) => days[day].trails.splice(position, 1));
  }

  clear(): void {
    this.days.mutate((days) => days.forEach((day) => (day.trails = [])));
  }
}
