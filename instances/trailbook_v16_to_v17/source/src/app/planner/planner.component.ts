import { Component } from '@angular/core';
import { FormControl, FormGroup, Validators } from '@angular/forms';
import { take } from 'rxjs/operators';

import { TrailbookStore } from '../core/trailbook-store.service';
import { PlannerStore } from './planner-store.service';

@Component({
  selector: 'tb-planner',
  templateUrl: './planner.component.html',
  styleUrls: ['./planner.component.scss'],
})
export class PlannerComponent {
  readonly days = this.planner.days;
  readonly minutesPerDay = this.planner.minutesPerDay;
  readonly tooLong = this.planner.tooLong;
  readonly trails$ = this.store.trails$;
  readonly choice = new FormGroup({
    trailId: new FormControl('', { nonNullable: true, validators: Validators.required }),
    day: new FormControl(0, { nonNullable: true }),
  });

  constructor(
    private readonly planner: PlannerStore,
    private readonly store: TrailbookStore,
  ) {}

  add(): void {
    const { trailId, day } = this.choice.getRawValue();
    this.store
      .trail(trailId)
      .pipe(take(1))
      .subscribe((trail) => {
        if (trail) {
          this.planner.add(day, trail);
          this.choice.controls.trailId.reset();
        }
      });
  }

  remove(day: number, position: number): void {
    this.planner.remove(day, position);
  }

  clear(): void {
    this.planner.clear();
  }
}
