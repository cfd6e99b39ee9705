import { Component } from '@angular/core';

import { PlannerStore } from './planner-store.service';

@Component({
  selector: 'tb-gear-list',
  templateUrl: './gear-list.component.html',
})
export class GearListComponent {
  readonly items$ = this.planner.gear$;

  constructor(private readonly planner: PlannerStore) {}
}
