import { Component, inject } from '@angular/core';
import { toSignal } from '@angular/core/rxjs-interop';
import { FormControl, FormGroup, ReactiveFormsModule, Validators } from '@angular/forms';
import { RouterLink } from '@angular/router';

import { TrailbookStore } from '../core/trailbook-store.service';
import { SharedModule } from '../shared/shared.module';
import { PlannerStore } from './planner-store.service';

@Component({
  selector: 'tb-planner',
  standalone: true,
  imports: [ReactiveFormsModule, RouterLink, SharedModule],
  templateUrl: './planner.component.html',
  styleUrl: './planner.component.scss',
})
export class PlannerComponent {
  private readonly planner = inject(PlannerStore);

  readonly days = this.planner.days;
  readonly minutesPerDay = this.planner.minutesPerDay;
  readonly tooLong = this.planner.tooLong;
  readonly trails = toSignal(inject(TrailbookStore).trails$, { requireSync: true });
  readonly choice = new FormGroup({
    trailId: new FormControl('', { nonNullable: true, validators: Validators.required }),
    day: new FormControl(0, { nonNullable: true }),
  });

  add(): void {
    const { trailId, day } = this.choice.getRawValue();
    const trail = this.trails().find((candidate) => candidate.id === trailId);
    if (trail) {
      this.planner.add(day, trail);
      this.choice.controls.trailId.reset();
    }
  }

  remove(day: number, position: number): void {
    this.planner.remove(day, position);
  }

  clear(): void {
    this.planner.clear();
  }
}
