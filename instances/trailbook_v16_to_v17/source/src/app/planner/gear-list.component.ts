import { Component, computed } from '@angular/core';

import { gearFor } from './gear';
import { PlannerStore } from './planner-store.service';

@Component({
  selector: 'tb-gear-list',
  templateUrl: './gear-list.component.html',
})
export class GearListComponent {
  readonly items = computed(() => gearFor(this.planner.minutesPerDay(), this.planner.ascentM()));

  constructor(private readonly planner: PlannerStore) {}
}
