import { Component, computed, inject } from '@angular/core';
import { RouterLink } from '@angular/router';

import { gearFor } from './gear';
import { PlannerStore } from './planner-store.service';

@Component({
  selector: 'tb-gear-list',
  standalone: true,
  imports: [RouterLink],
  templateUrl: './gear-list.component.html',
})
export class GearListComponent {
  private readonly planner = inject(PlannerStore);

  readonly items = computed(() => gearFor(this.planner.minutesPerDay(), this.planner.ascentM()));
}
