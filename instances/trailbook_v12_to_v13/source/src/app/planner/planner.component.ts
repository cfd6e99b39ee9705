import { Component } from '@angular/core';
import { FormBuilder, FormGroup, Validators } from '@angular/forms';
import { take } from 'rxjs/operators';

import { TrailbookStore } from '../core/trailbook-store.service';
import { PlannerStore } from './planner-store.service';

@Component({
  selector: 'tb-planner',
  templateUrl: './planner.component.html',
  styleUrls: ['./planner.component.scss'],
})
export class PlannerComponent {
  readonly days$ = this.planner.days$;
  readonly tooLong$ = this.planner.tooLong$;
  readonly trails$ = this.store.trails$;
  readonly choice: FormGroup = this.builder.group({
    trailId: ['', Validators.required],
    day: [0],
  });

  constructor(
    private readonly builder: FormBuilder,
    private readonly planner: PlannerStore,
    private readonly store: TrailbookStore,
  ) {}

  add(): void {
    const { trailId, day } = this.choice.value;
    this.store
      .trail(trailId)
      .pipe(take(1))
      .subscribe((trail) => {
        if (trail) {
          this.planner.add(day, trail);
          this.choice.patchValue({ trailId: '' });
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
