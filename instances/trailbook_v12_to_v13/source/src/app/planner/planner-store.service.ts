import { Injectable } from '@angular/core';
import { BehaviorSubject } from 'rxjs';
import { map } from 'rxjs/operators';

import { Trail } from '../core/models';
import { expectedMinutes } from '../core/walking-time';
import { GearItem, gearFor } from './gear';

export interface PlannedDay {
  name: string;
  trails: Trail[];
  minutes: number;
}

/** The longest day the planner calls sensible. */
const LONG_DAY_MINUTES = 8 * 60;

/** A weekend of walking; lives as long as the planner feature. */
@Injectable()
export class PlannerStore {
  private readonly subject = new BehaviorSubject<PlannedDay[]>([
    { name: 'Saturday', trails: [], minutes: 0 },
    { name: 'Sunday', trails: [], minutes: 0 },
  ]);

  readonly days$ = this.subject.asObservable();
  readonly tooLong$ = this.days$.pipe(
    map((days) => days.some((day) => day.minutes > LONG_DAY_MINUTES)),
  );
  readonly gear$ = this.days$.pipe(map(gearOf));

  add(day: number, trail: Trail): void {
    this.change(day, (trails) => [...trails, trail]);
  }

  remove(day: number, position: number): void {
    this.change(day, (trails) => trails.filter((_, index) => index !== position));
  }

  clear(): void {
    this.subject.value.forEach((_, day) => this.change(day, () => []));
  }

  private change(day: number, edit: (trails: Trail[]) => Trail[]): void {
    const days = this.subject.value.slice();
    const trails = edit(days[day].trails);
    days[day] = { ...days[day], trails, minutes: sum(trails.map(expectedMinutes)) };
    this.subject.next(days);
  }
}

function gearOf(days: readonly PlannedDay[]): GearItem[] {
  const ascents = days.map((day) => sum(day.trails.map((trail) => trail.ascentM)));
  return gearFor(
    days.map((day) => day.minutes),
    sum(ascents),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}
